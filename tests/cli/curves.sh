#!/usr/bin/env bash
# Learning curves, tags, notes and the commit come out of a study.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'E2'
name: out
command:
  - sh
  - -c
  - |
    for i in 0 1 2; do echo "::throng step=$i loss=$(({x} * 10 + i)) acc=0.$i"; done
    echo '::throng step=3 loss=nan'
method: grid
grid: {order: written}
metric: {name: loss}
parameters:
  x: {values: [1, 2, 3]}
E2
git init -q . && printf 'one\n' >code.txt && printf '.*\nstudy.yaml\n' >.gitignore
git add . && git -c user.name=t -c user.email=t@t commit -qm one
printf 'two\n' >code.txt
before=$(date +%s)
"$THRONG" run -q study.yaml

# ---- history ---------------------------------------------------------------
run "$THRONG" export --history 2
check_status "the history of a trial is exported" 0
check_equal "as CSV, a point a line, by metric and step" \
    "trial,step,metric,value 2,0,loss,20.0 2,1,loss,21.0 2,2,loss,22.0 2,3,loss,nan 2,0,acc,0.0 2,1,acc,0.1 2,2,acc,0.2" \
    "$(cut -d, -f 1,2,4,5 <<<"$out" | paste -sd ' ')"
check "each with the time at which it reached the study" \
    python3 - "$before" "$out" <<'E2'
import sys, time
for line in sys.argv[2].splitlines()[1:]:
    assert int(sys.argv[1]) <= float(line.split(",")[2]) <= time.time() + 1, line
E2
run "$THRONG" export out --history --jsonl
check "as JSON lines it is strict, and of all trials" \
    python3 - "$out" <<'E2'
import json, sys
def refuse(word):
    raise ValueError(word)
rows = [json.loads(x, parse_constant=refuse) for x in sys.argv[1].splitlines()]
assert len(rows) == 21, len(rows)
assert [r["trial"] for r in rows] == sorted(r["trial"] for r in rows)
assert rows[0].keys() == {"trial", "step", "time", "metric", "value"}
assert rows[3]["value"] == "NaN", rows[3]
E2
run "$THRONG" export --history --where 'x > 1'
check_equal "a filter chooses trials" "2 3" \
    "$(tail -n +2 <<<"$out" | cut -d, -f 1 | uniq | paste -sd ' ')"
run "$THRONG" export --history 9
check_status "a trial that is not there is said to be missing" 4
run "$THRONG" export --history --files there
check_status "files have no history" 2

# ---- tags, notes, commit ---------------------------------------------------
"$THRONG" tag 2 paper >/dev/null 2>&1
"$THRONG" tag 2 good >/dev/null 2>&1
"$THRONG" note 2 'first, "best"' >/dev/null 2>&1
run "$THRONG" export --csv
check "CSV has tags, note and commit as columns" \
    python3 - "$out" "$(git rev-parse HEAD)" <<'E2'
import csv, sys
rows = list(csv.DictReader(sys.argv[1].splitlines()))
assert set(rows[1]["tags"].split(";")) == {"paper", "good"}, rows[1]
assert rows[1]["note"] == 'first, "best"', rows[1]
assert rows[0]["tags"] == rows[0]["note"] == "", rows[0]
assert {r["commit"] for r in rows} == {sys.argv[2]}, rows[0]
assert all(float(r["created"]) > 0 for r in rows)
E2
run "$THRONG" export --jsonl
check_contains "so have JSON lines" "$out" "\"commit\":\"$(git rev-parse HEAD)\""
run "$THRONG" show 2
check_contains "show names the commit, and that more was changed" "$out" \
    "commit   $(git rev-parse HEAD) and 1 changed file (\`throng status out --diff\`)"
run "$THRONG" status
check_contains "so does status" "$out" "commit   $(git rev-parse HEAD) and 1"
run "$THRONG" status --diff
check_contains "status --diff prints the changes" "$out" "+two"
run "$THRONG" status --json
check "JSON has both" python3 -c '
import json, sys
s = json.loads(sys.argv[1])
assert s["commit"] == sys.argv[2] and "+two" in s["diff"], s' \
    "$out" "$(git rev-parse HEAD)"

# ---- a long history needs no more memory than its longest curve --------------
cat >long.yaml <<'E2'
name: long
command:
  - sh
  - -c
  - awk 'BEGIN { for (i = 0; i < 100000; i++) print "{\"loss\":" i "}" }' >"$THRONG_METRICS"
method: grid
metric: {name: loss}
parameters:
  x: {min: 1, max: 10}
E2
"$THRONG" run -q long.yaml
check "a million points are exported in the memory of one curve" \
    python3 - "$THRONG" <<'E2'
import os, resource, subprocess, sys
def peak_kib(trials):
    # A child of its own, so that only this export counts.
    code = ("import resource, subprocess, sys\n"
            "n = sum(1 for _ in subprocess.Popen(sys.argv[1:], stdout=-1).stdout)\n"
            "import os; os.wait()\n"
            "print(n, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    said = subprocess.run([sys.executable, "-c", code, sys.argv[1], "export",
                           "long", trials, "--history"],
                          stdout=subprocess.PIPE, check=True).stdout
    return tuple(map(int, said.split()))
one, all = peak_kib("1"), peak_kib("all")
assert (one[0], all[0]) == (100001, 1000001), (one, all)
# A sanitizer keeps what was freed for a while, up to its quarantine.
spare = 512 << 10 if "ASAN_OPTIONS" in os.environ else 16384
assert all[1] < one[1] + spare, (one, all)
E2
