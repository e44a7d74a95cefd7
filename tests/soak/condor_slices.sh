#!/usr/bin/env bash
# The long form of tests/cluster/condor_slices.sh: 20 variants.
# timeout: 7200
VARIANTS=${VARIANTS:-20} exec bash "$(dirname "$0")/../cluster/condor_slices.sh"
