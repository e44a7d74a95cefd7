#!/usr/bin/env bash
# The pages about HTCondor, and its example: what they say works on a pool.
# With --update they are corrected, as tests/cli/how_to.sh does.
# timeout: 400
# GPUs are pretended, osdf:// is a folder, and so is apptainer: it checks that
# it is called to run something in an image, and runs that.
data=$(mktemp -d)
mkdir -p "$data/bin" "$data/osdf/ospool/ap40/data/ann"
cat >"$data/bin/apptainer" <<'SH'
#!/bin/sh
[ "$1" = exec ] || exit 255
while [ "${1%.sif}" = "$1" ]; do shift || exit 255; done
shift
exec "$@"
SH
chmod +x "$data/bin/apptainer"
python3 - "$data/osdf/ospool/ap40/data/ann/points.zip" <<'PY'
import sys
import zipfile
with zipfile.ZipFile(sys.argv[1], "w") as z:
    z.writestr("points.csv", "".join(f"{x / 8},{3 * x / 8 + 1}\n"
                                     for x in range(17)))
PY
export PATH=$data/bin:$PATH CONDOR_TEST_OSDF=$data/osdf CONDOR_TEST_GPUS=2 \
    CONDOR_TEST_FIRST=0.5-1
. "$(dirname "$0")/condor/lib.sh"
stand_in_only "the pages" || exit 0
cd "$ROOT" || exit 1
# The description by hand is one that HTCondor takes and runs, too.
mkdir "$TMP/hand" && cp examples/htcondor/train.* "$TMP/hand" || exit 1
(cd "$TMP/hand" && condor_submit -terse train.sub >said.txt 2>&1)
for _ in $(seq 300); do
    [ -s "$TMP/hand/output/state.json" ] && break
    sleep 0.1
done
said=$(cat "$TMP/hand/said.txt" "$TMP"/hand/*.err 2>/dev/null)
python3 tests/cli/walk.py "$@" docs/how-to/htcondor.md \
    examples/htcondor/README.md
status=$?
if [ ! -s "$TMP/hand/output/state.json" ]; then
    echo "# train.sub did not come back: $said"
    status=1
fi
trap - EXIT
sed 's/^/# pool: /' "$pool_folder/pool.log"
"$CONDOR" down "$pool_folder"
cd / && rm -rf "$TMP" "$data"
exit $status
