#!/usr/bin/env bash
# Points are added while the conductor is killed at random moments: each must
# be run exactly once, and the study's own points must stay what they are.
# thorough: kills for a while
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'END'
name: mine
command: [sh, -c, 'throng report loss={x}']
method: random
run_cap: 120
seed: 3
keep: none
metric: {name: loss}
parameters: {x: {min: 0.0, max: 1.0}}
END
run "$THRONG" run study.yaml --new whole
"$THRONG" export whole --jsonl >whole.jsonl

cat >kill.py <<'END'
import json, os, random, signal, subprocess, sys, time

throng = sys.argv[1]
random.seed(7)
ROUNDS = 40
wanted = []
quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for i in range(ROUNDS):
    run = subprocess.Popen([throng, "run", "study.yaml", "--count", "4"], **quiet)
    if i == 0:
        while not os.path.exists(".throng/mine/study.db"):
            time.sleep(0.01)
    time.sleep(random.uniform(0, 0.15))
    x = 100.5 + i
    add = subprocess.Popen([throng, "add", "mine", "--outside", "x=%s" % x],
                           **quiet)
    time.sleep(random.uniform(0, 0.3))
    run.send_signal(signal.SIGKILL)
    run.wait()
    if add.wait() == 0:
        wanted.append(x)
subprocess.run([throng, "run", "study.yaml"], **quiet)
out = subprocess.run([throng, "export", "mine", "--jsonl"], text=True,
                     capture_output=True).stdout
trials = [json.loads(line) for line in out.splitlines()]
added = sorted(t["params"]["x"] for t in trials if t["params"]["x"] > 100)
own = [t["params"]["x"] for t in trials if t["params"]["x"] < 100]
whole = [json.loads(line)["params"]["x"] for line in open("whole.jsonl")]
print("answered", len(wanted) > ROUNDS // 2)
print("once", added == sorted(set(added)))
print("all", set(wanted) <= set(added))
print("refused", set(added) <= set(wanted))
print("own", own == whole)
print("ids", [t["id"] for t in trials] == list(range(1, len(trials) + 1)))
print("done", {t["state"] for t in trials} == {"done"})
print("requests", [n for n in os.listdir(".throng/mine/requests")
                   if n.endswith(".json")] == [])
END
run python3 kill.py "$THRONG"
check_contains "most additions were answered" "$out" "answered True"
check_contains "no point was added twice" "$out" "once True"
check_contains "none that was answered is lost" "$out" "all True"
check_contains "and none that failed is there" "$out" "refused True"
check_contains "the study's own points are those of an uninterrupted run" "$out" "own True"
check_contains "numbers have no gap" "$out" "ids True"
check_contains "everything was run" "$out" "done True"
check_contains "and no request is left" "$out" "requests True"
[ "$tests_failed" -eq 0 ] || printf '%s\n' "$out" "$err" | sed 's/^/# /'
