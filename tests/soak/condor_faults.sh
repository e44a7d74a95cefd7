#!/usr/bin/env bash
# The long form of tests/cluster/condor_faults.sh: 40 faults in a row.
# timeout: 7200
FAULTS=${FAULTS:-40} exec bash "$(dirname "$0")/../cluster/condor_faults.sh"
