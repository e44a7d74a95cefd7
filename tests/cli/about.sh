#!/usr/bin/env bash
# What a task says of itself: tags, a note, values that are no parameters.
. "$(dirname "$0")/lib.sh"

cat >train.sh <<'E2'
say() { printf '%s\n' "$1" >>"$THRONG_METRICS"; }
say '{"throng": {"tags": ["baseline", "run-'$THRONG_TRIAL'"], "note": "attempt '$THRONG_ATTEMPT'",
'
say '{"throng": {"tags": ["baseline", "two words", "run-'$THRONG_TRIAL'"], "note": "attempt '$THRONG_ATTEMPT'", "values": {"epochs": 3, "opt": {"kind": "adam"}, "attempt": '$THRONG_ATTEMPT'}}}'
say '{"throng": {"values": {"batch": 32, "my_api_key": "sk-abcdefghijklmnopqrstuvwx"}}}'
throng report loss="$THRONG_P_x"
[ "$THRONG_P_x" != 2 ] || [ "$THRONG_ATTEMPT" != 1 ] || exit 1
E2
cat >about.yaml <<'E2'
name: about
command: [sh, train.sh]
method: grid
grid: {order: written}
retries: 1
retry_delay: 0s
metric: {name: loss}
parameters: {x: {values: [1, 2, 3]}}
E2
run "$THRONG" run about.yaml
check_status "the study runs" 0
check_contains "a tag that cannot be asked for is left out, and said" "$err" \
    "a tag of its task left out: it holds a blank"
check_contains "a torn line is, too" "$err" "a line of its task left out"
run "$THRONG" rank --where tag:baseline --columns epochs,batch,opt.kind,attempt,tag,note
check_equal "values are columns, tags are tags, a second attempt doubles nothing" \
    "rank,trial,loss,epochs,batch,opt.kind,attempt,tag,note
1,1,1.0,3,32,adam,1,baseline, run-1,attempt 1
2,2,2.0,3,32,adam,2,baseline, run-2,attempt 1
3,3,3.0,3,32,adam,1,baseline, run-3,attempt 1" "$(tr '\t' , <<<"$out")"
run "$THRONG" rank --where 'opt.kind = adam and attempt > 1'
check_equal "filters know them" 2 "$(wc -l <<<"$out")"
run "$THRONG" rank --by attempt
check_status "so does --by" 0
run "$THRONG" export --csv
check "so does CSV" python3 - "$out" <<'E2'
import csv, io, sys
rows = list(csv.DictReader(io.StringIO(sys.argv[1])))
assert [(r["epochs"], r["opt.kind"], r["attempt"]) for r in rows] == [
    ("3", "adam", "1"), ("3", "adam", "2"), ("3", "adam", "1")], rows
E2
run "$THRONG" export --jsonl
check "and JSON" python3 - "$out" <<'E2'
import json, sys
about = json.loads(sys.argv[1].splitlines()[1])["about"]
assert about["opt"] == {"kind": "adam"} and about["attempt"] == 2, about
E2
check_lacks "but no secret" "$out" "sk-abcdef"
run "$THRONG" show 1
check_matches "show has them" "$out" '^ *epochs +3$'

# ---- a person's word stays; a crash loses nothing ---------------------------
cat >slow.sh <<'E2'
printf '%s\n' '{"throng": {"tags": ["early"], "note": "of the task", "values": {"epochs": 3}}}' >>"$THRONG_METRICS"
throng report loss=1
[ "$THRONG_ATTEMPT" != 1 ] || sleep 1000
E2
sed 's/name: about/name: slow/; s/train.sh/slow.sh/; s/\[1, 2, 3\]/[1]/' about.yaml >slow.yaml
"$THRONG" run -q slow.yaml 2>/dev/null &
pid=$!
tagged() {
    "$THRONG" export slow --where 'tag:early and epochs = 3' --jsonl 2>/dev/null |
        grep -q '"tags":\["early"\],"about":{"epochs":3}'
}
check "they are there while the task runs" wait_for 60 tagged
"$THRONG" note slow 1 "of a person" >/dev/null 2>&1
noted() { "$THRONG" export slow --jsonl | grep -q '"note":"of a person"'; }
check "a person changes the note" wait_for 60 noted
kill -9 "$pid"
wait "$pid" 2>/dev/null
run "$THRONG" run -q slow.yaml
run "$THRONG" export slow --jsonl
check_contains "after a crash all is there once, and the person's note" "$out" \
    '"note":"of a person","tags":["early"],"about":{"epochs":3}'
check_contains "from two attempts" "$out" '"attempts":2'

# ---- import wandb -----------------------------------------------------------
cat >wb.py <<'E2'
import wandb
run = wandb.init(tags=["baseline"], notes="a note", group="night",
                 job_type="train", config={"epochs": 3, "batch_size": 32})
wandb.log({"loss": wandb.config.x})
E2
sed 's/name: about/name: wb\nwandb: stand-in/; s/\[sh, train.sh\]/[python3, wb.py]/' about.yaml >wb.yaml
run "$THRONG" run -q wb.yaml
run "$THRONG" rank wb -n 1 --where tag:baseline --columns epochs,batch_size,group,job_type,note
check_equal "what wandb.init is given arrives" \
    "1,1,1.0,3,32,night,train,a note" "$(tail -n 1 <<<"$out" | tr '\t' ,)"
