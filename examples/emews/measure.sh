#!/bin/sh
# Stands for a training program: the result is best at x = 1, y = -2.
awk "BEGIN { print \"loss:\", ($1 - 1) ^ 2 + ($2 + 2) ^ 2 }"
