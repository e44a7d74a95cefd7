#!/bin/sh
# prepare.sh RAW: rows without a weight are left out
awk -F, 'NR == 1 || $3 != ""' "$1" > leaves.csv
