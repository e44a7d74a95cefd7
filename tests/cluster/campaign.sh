#!/usr/bin/env bash
# A campaign whose ensemble runs on a real Slurm: the same tables as here, also
# when its conductor is killed while jobs are out.
# timeout: 900
. "$(dirname "$0")/lib.sh"

results() { # FOLDER STAGE
    (cd "$1" && "$THRONG" export "leaves/$2" --jsonl | python3 -c '
import json, sys
for t in sorted(map(json.loads, sys.stdin), key=lambda t: t["id"]):
    print(t["id"], t["state"], t["value"], sorted(t["params"].items()))')
}

cp -r "$ROOT/examples/campaign" here
cp -r "$ROOT/examples/campaign" there
sed -i 's/^    study: ensemble.yaml/&\n    engine: slurm/' there/leaves.yaml
(cd here && "$THRONG" run -q leaves.yaml) || exit 1

cd there || exit 1
"$THRONG" run leaves.yaml >../killed.log 2>&1 &
conductor=$!
check "jobs of the stage begin" wait_for 120 some_run 1
kill -9 $conductor
wait $conductor 2>/dev/null
run "$THRONG" run leaves.yaml
check_status "killed while they ran, the campaign goes on to its end" 0
check_contains "inside of the stage" "$err" "ensemble begins: it goes on where it was"
run "$THRONG" status leaves
check_matches "all of it is done" "$out" 'ensemble +done +200/200'
cd ..
for stage in search ensemble; do
    check_equal "the table of $stage is the same there as here" \
        "$(results here "$stage")" "$(results there "$stage")"
done
check_equal "and so is the decision" "$(cat here/decision.txt)" "$(cat there/decision.txt)"
