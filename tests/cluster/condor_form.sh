#!/usr/bin/env bash
# The stand-in for HTCondor writes event logs as a real pool does.
. "$(dirname "$0")/../cli/lib.sh"
trap - EXIT
condor=$ROOT/tests/cluster/condor
python3 -B "$condor/form.py" "$condor/condor" "$condor/samples" "$TMP/form"
status=$?
cd / && rm -rf "$TMP"
exit $status
