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

# ---- jobs that are out ---------------------------------------------------
mkdir out && cd out || exit 1
cat >s.yaml <<'EOF'
method: grid
parameters: {x: {min: 1, max: 4}}
command: sh -c 'sleep 600; throng report y={x}'
metric: {name: y}
engine: slurm
EOF
printf 'stages:\n  s: {study: s.yaml}\n' >c.yaml
not_running() { "$THRONG" status c --json | grep -q '"running":false'; }
"$THRONG" run c.yaml >c.log 2>&1 &
conductor=$!
check "jobs of a campaign begin" wait_for 120 some_run 1
run "$THRONG" kill c
check_status "kill of a campaign is heard" 0
wait $conductor
check_equal "it ends" 130 $?
check "and its jobs are cancelled" wait_for 60 none_left

"$THRONG" run c.yaml >c.log 2>&1 &
conductor=$!
wait_for 120 some_run 1
kill -TERM $conductor
wait $conductor
check_not "SIGTERM leaves them" none_left
run "$THRONG" rm -y c
check_status "a campaign with jobs out is not removed" 5
check_contains "by the stage's name" "$err" "the study c/s has jobs at a scheduler"
sed -i 's/max: 4/max: 5/' s.yaml
run "$THRONG" run -q c.yaml
check_status "nor does its stage begin anew beside them" 3
check_contains "which is said, with the way out" "$err" '`throng kill c/s` cancels them'
run "$THRONG" kill c
check_status "kill of a campaign that nobody runs" 0
check "cancels the jobs of its stages" wait_for 60 none_left
run "$THRONG" rm -y c
check_status "then it can be removed" 0
