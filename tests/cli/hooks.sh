#!/usr/bin/env bash
# on_best and on_finish; templates, from the study file to the task.
. "$(dirname "$0")/lib.sh"

# The first trial is told before the next ones report: else only the last
# would be.
cat >study.yaml <<'END'
name: mine
command: [sh, -c, 'test {x} = 3 || until test -s best.jsonl; do sleep 0.05; done; throng report loss={x}']
method: grid
parallel: 1
metric: {name: loss}
on_best: [sh, -c, 'cat >>best.jsonl; echo heard; echo "in $PWD" >&2']
on_finish: cat >finish.json
parameters: {x: {values: [3, 5, 2]}}
END
run "$THRONG" run study.yaml
check_status "a study with hooks runs" 0
check_equal "on_best heard of each new best" "[1, 3]" "$(python3 -c '
import json
print([json.loads(l)["best"]["trial"] for l in open("best.jsonl")])')"
check_equal "with its value, metric and parameters" "best mine 2.0 loss {'x': 2}" \
    "$(python3 -c '
import json
d = json.loads(open("best.jsonl").readlines()[-1])
print(d["event"], d["study"], d["best"]["value"], d["best"]["metric"],
      d["best"]["params"])')"
check_equal "on_finish heard how it ended" "throng.event/1 finish complete 3 3 3" \
    "$(python3 -c '
import json
d = json.load(open("finish.json"))
print(d["schema"], d["event"], d["end"], d["total"], d["states"]["done"],
      d["best"]["trial"])')"
check_contains "what hooks print is kept" "$(cat .throng/mine/hooks.log)" "heard"
check_contains "they run in the study's folder" "$(cat .throng/mine/hooks.log)" "in $PWD"
rm finish.json
run "$THRONG" run study.yaml
check_not "a run that had nothing to do calls nobody" test -e finish.json

# ---- hooks that fail, and that take long -----------------------------------
cat >fails.yaml <<'END'
name: fails
command: [sh, -c, 'sleep 0.4; throng report loss={x}']
method: grid
parallel: 1
metric: {name: loss}
on_best: exit 7
on_finish: /no/such/program
parameters: {x: {values: [3, 2, 1]}}
END
run "$THRONG" run fails.yaml
check_status "hooks that fail do not fail the study" 0
check_equal "it is said once" 1 "$(grep -c 'on_best: it ended with exit code 7' <<<"$err")"
check_contains "of each" "$err" "on_finish: it ended with exit code 127"
check_contains "with where to look" "$err" "hooks.log"

cat >slow.yaml <<'END'
name: slow
command: [sh, -c, 'throng report loss={x}']
method: grid
metric: {name: loss}
on_best: until test -e end; do sleep 0.05; done
parameters: {x: {min: 1, max: 30}}
END
"$THRONG" run slow.yaml 2>slow.err &
pid=$!
all_done() { "$THRONG" status slow --json | grep -q '"done":30'; }
check "a hook that hangs does not hold up the study" wait_for 20 all_done
touch end
wait $pid
check_equal "which ends when the hook does" 0 $?

# ---- templates -------------------------------------------------------------
cat >deck.in <<'END'
temperature {temp}
name {name}
keep {braces} and {
END
cat >templates.yaml <<'END'
name: templates
command: [sh, -c, 'cat deck.in extra/t.txt; throng report t={temp}']
workdir: trial
method: grid
keep: all
metric: {name: t}
templates:
  - {path: deck.in, from: deck.in}
  - {path: extra/t.txt, text: "T={temp}\n"}
parameters: {temp: {values: [300, 1e-5]}, name: {value: "a b"}}
END
run "$THRONG" check templates.yaml
check_status "a study with templates is right" 0
run "$THRONG" run templates.yaml
check_status "and runs" 0
run "$THRONG" logs templates 1
check_equal "placeholders are filled in, other braces stay" "temperature 300
name a b
keep {braces} and {
T=300" "$out"
run "$THRONG" logs templates 2
check_matches "in each trial by its own values" "$out" '^temperature 1e-05$'
rm deck.in
run "$THRONG" check templates.yaml
check_status "a template that is not there is a mistake" 1
check_contains "which is named" "$err" "deck.in"
