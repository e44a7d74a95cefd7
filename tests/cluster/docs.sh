#!/usr/bin/env bash
# The pages about Slurm, and its example: what they say works on a real one.
# With --update they are corrected, as tests/cli/how_to.sh does.
# timeout: 400
. "$(dirname "$0")/lib.sh"
cd "$ROOT" || exit 1
python3 tests/cli/walk.py "$@" docs/how-to/slurm.md examples/slurm/README.md
status=$?
trap - EXIT
"$SLURM" down "$slurm_folder"
rm -rf "$TMP"
exit $status
