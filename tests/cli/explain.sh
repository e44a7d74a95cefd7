#!/usr/bin/env bash
# explain: why a trial waits, runs or failed; show --command: the same trial by
# hand.
. "$(dirname "$0")/lib.sh"

running() { "$THRONG" status "$1" --json | grep -q "\"running\":$2,\"paused\""; }

# ---- waiting ---------------------------------------------------------------
cat >wait.yaml <<'END'
name: wait
command: [sh, -c, 'test {x} = 1 && test ! -e once{x} && { touch once{x}; exit 9; }; touch began{x}; until test -e end; do sleep 0.05; done']
method: grid
parallel: 1
retries: 3
retry_delay: 1h
parameters: {x: {values: [1, 2, 3, 4]}}
END
"$THRONG" run wait.yaml >wait.out 2>&1 &
pid=$!
wait_for 20 test -e began2
run "$THRONG" explain 1
check_matches "a retry waits for its time" "$out" \
    "^It failed 1 time and is tried again in (4m|5m)"
check_contains "after what happened" "$out" "Attempt 1 ended as failed: exit code 9."
wait_for 20 running wait 1
run "$THRONG" explain wait 2
check_matches "a trial runs as a process" "$out" '^Attempt 1 has run for .* as process [0-9]+\.$'
impatient() { # as if all had ended at once, long ago
    python3 - <<'END_PYTHON'
import json, sqlite3, sys
db = sqlite3.connect(".throng/wait/study.db", timeout=20)
fact = db.execute("select text from facts where key = 'pace'").fetchone()
if not fact:
    sys.exit(1)
pace = dict(json.loads(fact[0]), median_s=0.01, patience_s=0.02)
db.execute("update facts set text = ? where key = 'pace'", (json.dumps(pace),))
db.commit()
END_PYTHON
}
wait_for 20 impatient
run "$THRONG" explain wait 2
check_contains "one that runs far longer than others is said to" "$out" \
    "if it hangs, \`throng kill 2\` ends it"
run "$THRONG" explain 3
check_matches "a trial waits for room" "$out" '^It waits for room: 1 runs now, parallel: 1; each needs 1 cpu'
run "$THRONG" explain 5
check_status "a number past the end is no trial" 4
run "$THRONG" stop wait
drains() { "$THRONG" explain 3 | grep -q "asked to stop"; }
check "a trial waits when the study is stopping" wait_for 20 drains
touch end
wait $pid
run "$THRONG" explain 3
check_contains "and when nobody runs it" "$out" "nobody runs the study now"

cat >count.yaml <<'END'
name: count
command: ["true"]
method: grid
parameters: {x: {values: [1, 2, 3, 4]}}
END
run "$THRONG" run count.yaml --count 1
run "$THRONG" explain 4
check_status "a trial that is not made yet is explained" 0
check_contains "as that" "$out" "Trial 4 is not made yet: the study has 1 so far of 4."

# ---- failed ----------------------------------------------------------------
cat >fail.yaml <<'END'
name: fail
command: [sh, -c, 'case {x} in
1) echo "ModuleNotFoundError: No module named torch"; exit 1 ;;
2) no-such-command-anywhere ;;
3) kill -9 $$ ;;
4) exit 78 ;;
5) sleep 60 ;;
esac']
parallel: 5
resources: {time: "${time}"}
points: [{x: 1, time: 60}, {x: 2, time: 60}, {x: 3, time: 60}, {x: 4, time: 60}, {x: 5, time: 1}]
END
run "$THRONG" run fail.yaml --keep-going
for pair in '1:setup:' '2:exit code 127' '3:SIGKILL' '4:exit code 78' \
    '5:resources: time'; do
    run "$THRONG" explain fail "${pair%%:*}"
    check_contains "trial ${pair%%:*} gets its hint" "$out" "${pair#*:}"
done
run "$THRONG" explain 1
check_contains "its last lines are shown" "$out" "    ModuleNotFoundError: No module named torch"
check_contains "and what to do next" "$out" "throng retry 1"
run "$THRONG" explain bad
check_equal "several are explained" 5 "$(grep -c '^Trial' <<<"$out")"
run "$THRONG" explain 77
check_status "a trial that is not there" 4

# ---- by hand ---------------------------------------------------------------
mkdir 'with blank'
cd 'with blank' || exit 1
cat >see.sh <<'END'
echo "$PWD|$*|$THRONG_STUDY|$THRONG_TRIAL|$THRONG_P_name|$THRONG_P_lr|$WORD|$LINE|$THRONG_SEED"
cat "$THRONG_PARAMS"
test -d "$THRONG_OUTPUT" && test -d "$THRONG_CHECKPOINT" && echo folders
END
cat >hand.yaml <<'END'
name: hand
command: [sh, see.sh, "${args}", "{name}"]
method: grid
keep: all
setup: LINE="it's set"; export LINE
env: {WORD: "a b"}
parameters: {lr: {values: [0.5]}, name: {values: ["it's", "a $HOME"]}}
END
run "$THRONG" run hand.yaml
run "$THRONG" logs hand 2
said=$out
run "$THRONG" show hand 2 --command
check_equal "--command prints one line per trial" 1 "$(grep -c 'THRONG_TRIAL=2 ' <<<"$out")"
line=$out
cd / || exit 1
check_equal "which, pasted anywhere, does what the trial did" "$said" \
    "$(sh -c "$line")"
cd "$TMP/with blank" || exit 1
run "$THRONG" show hand 1-2 --command
check_equal "of several trials too" 2 "$(grep -c '^d=' <<<"$out")"
rm hand.yaml
run "$THRONG" show hand 2 --command
check_equal "also when the study file is gone" "$line" "$out"

mkdir lib
echo 'WORD = "mine"' >lib/own_module.py
cat >module.py <<'END'
import own_module, throng, wandb
print(own_module.WORD, throng.params()["lr"], wandb.__name__)
END
cat >module.yaml <<END
program: module.py
method: grid
wandb: stand-in
env: {PYTHONPATH: "$PWD/lib"}
parameters: {lr: {values: [0.5]}}
END
run "$THRONG" run module.yaml
run "$THRONG" logs module 1
said=$out
check_equal "a task has throng's modules and its own" "mine 0.5 wandb" "$said"
run "$THRONG" show module 1 --command
check_equal "and so has the line" "$said" \
    "$(cd / && env -u PYTHONPATH sh -c "$out" 2>&1)"

# ---- for programs ----------------------------------------------------------
json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
cat >progs.yaml <<'END'
name: progs
command: [sh, -c, 'echo no luck; test {x} = 1 || exit 127']
method: grid
retries: 0
parameters: {x: {values: [1, 2, 3]}}
END
"$THRONG" run -q --keep-going --count 2 progs.yaml 2>/dev/null
run "$THRONG" explain progs all --json
check_equal "explain --json has its schema" throng.explain/1 "$(json 'd["schema"]')"
check_equal "and each trial" "[(1, 'done', None, 1), (2, 'failed', 'exit code 127', 1)]" \
    "$(json '[(t["id"], t["state"], t["reason"], t["attempts"]) for t in d["trials"]]')"
check_contains "with the words" "$(json 'd["trials"][1]["explanation"]')" "Trial 2 failed"
check_contains "the hint" "$(json 'd["trials"][1]["hint"]')" "did not find the command"
check_contains "and the last lines" "$(json 'd["trials"][1]["tail"]')" "no luck"
run "$THRONG" explain progs 3 --json
check_equal "one that is not made yet has no state" "3 None throng run progs.yaml" \
    "$(json '"%d %s %s" % (d["trials"][0]["id"], d["trials"][0]["state"], d["trials"][0]["go_on"])')"
