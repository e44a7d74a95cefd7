#!/usr/bin/env bash
# What was measured stands first, everywhere. That there is noise is proven by
# equal points with different values; then it is said what a model expects.
# thorough: studies of many trials, ranked
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
study() { # NAME NOISE METHOD PARAMETER
    printf '%s\n' "name: $1" 'command: [sh, -c, "echo 1 >$THRONG_OUTPUT/file; throng report loss=$(awk -v s=$THRONG_SEED \"BEGIN { srand(s); rand(); print ({x} - 0.3) ^ 2 + '"$2"' * (rand() - 0.5) }\")"]' \
        "method: $3" 'run_cap: 40' 'parallel: 1' 'keep: best:1' 'seed: 2' 'metric: {name: loss}' 'on_finish: cat >finish.json' \
        "parameters: {x: $4}" 'on_best: cat >>best.jsonl' >$1.yaml
    : >best.jsonl
    "$THRONG" run $1.yaml >run.out 2>&1
}
few='{values: [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]}' # repeated in 40 trials
many='{min: 0.0, max: 1.0}'

# Whatever is said of noise, these are about the trial of the best value.
check_best() { # NAME
    run "$THRONG" export --jsonl $1
    best=$(python3 -c 'import json, sys; print(min((t["value"], t["id"]) for t in map(json.loads, sys.stdin))[1])' <<<"$out")
    value=$(python3 -c 'import json, sys; print("%.5g" % min(t["value"] for t in map(json.loads, sys.stdin)))' <<<"$out")
    check_contains "$1: the run ends with the best value" "$(cat run.out)" "best $value (trial $best)"
    check_equal "$1: on_finish hears of it" "$best" \
        "$(python3 -c 'import json; print(json.load(open("finish.json"))["best"]["trial"])')"
    check_equal "$1: what on_best hears of only becomes better, and ends with it" "True $best" "$(python3 -c '
import json
best = [json.loads(line)["best"] for line in open("best.jsonl")]
values = [b["value"] for b in best]
print(values == sorted(values, reverse=True), best[-1]["trial"])')"
    run "$THRONG" status $1
    check_contains "$1: status" "$out" "(trial $best)"
    run "$THRONG" status --json $1
    check_equal "$1: status --json" "$best" "$(json 'd["best"]["id"]')"
    run "$THRONG" ls
    check_contains "$1: ls" "$out" "loss=$value (trial $best)"
    run "$THRONG" watch -1 $1
    check_contains "$1: watch" "$out" " (trial $best)"
    check_equal "$1: watch lists it first" "$best" "$(awk '$1 == 1 { print $2; exit }' <<<"$out")"
    run "$THRONG" show $1 best --json
    check_equal "$1: the selector best means it" "$best" "$(json 'd["trials"][0]["trial"]["id"]')"
    run "$THRONG" rank -n 0 --json $1
    check_equal "$1: rank goes by values" "$best True" \
        "$(json '"%d %s" % (d["trials"][0]["id"], all(a["value"] <= b["value"] for a, b in zip(d["trials"], d["trials"][1:])))')"
    check_equal "$1: best:N goes along the ranking" "$(json '[t["id"] for t in d["trials"]]')" \
        "$("$THRONG" export --jsonl $1 best:40 | python3 -c 'import json, sys; print([json.loads(l)["id"] for l in sys.stdin])')"
    check_equal "$1: its files are kept, and no others" "$best" "$(ls .throng/$1/trials/0)"
}

study noisy 0.6 gp "$few"
check_best noisy
run "$THRONG" status --json noisy
incumbent=$(json 'd["incumbent"]["id"]') expected=$(json '"%.5g" % d["incumbent"]["expected"]')
check_equal "the best value was luck: less is expected" True \
    "$(json 'd["incumbent"]["expected"] > d["best"]["value"] + 0.05')"
check_equal "what is expected stands beside the best value" "$incumbent" \
    "$(python3 -c 'import json; print(json.load(open("finish.json"))["incumbent"]["trial"])')"
check_contains "the run says of which trial the best is expected" "$(cat run.out)" \
    "equal points gave different values, so the best one may be luck: a model of all results expects the best, $expected, of trial $incumbent"
run "$THRONG" status noisy
check_contains "status says it, too" "$out" "noise    equal points gave different values: a model of all results expects the best, "
run "$THRONG" ls --json
check_equal "ls has both for programs" "$best $incumbent" \
    "$(json '"%(best)d %(incumbent)d" % {k: d["studies"][0][k]["id"] for k in ("best", "incumbent")}')"
run "$THRONG" rank noisy
check_contains "rank has a column for it" "$(head -n 1 <<<"$out")" "expected"
check_equal "of equal points the same is expected, and the best of them is named" "True True" \
    "$("$THRONG" rank -n 0 --json noisy | INCUMBENT=$incumbent python3 -c '
import json, os, sys
trials = [t for t in json.load(sys.stdin)["trials"] if isinstance(t.get("expected"), float)]
means = {}
for t in trials:
    means.setdefault(t["params"]["x"], set()).add(t["expected"])
found = next(t for t in trials if t["id"] == int(os.environ["INCUMBENT"]))
best = min(t["value"] for t in trials if t["params"] == found["params"])
print(all(len(m) == 1 for m in means.values()), found["value"] == best)')"
run "$THRONG" watch -1 noisy
check_contains "watch too" "$out" "expected"
run "$THRONG" rank -n 3 --json noisy
check_equal "as many rows as were asked for" 3 "$(json 'len(d["trials"])')"
check_equal "with what is expected of each" True "$(json 'all(isinstance(t["expected"], float) for t in d["trials"])')"
run "$THRONG" rank -n 0 --where 'x < 0.5' --json noisy
check_equal "a filter goes with it" True "$(json 'all(t["params"]["x"] < 0.5 for t in d["trials"])')"
rm -r .throng/noisy

# The last trial waits, for 20 s at most, until on_best has heard of noise.
sed -e 's/^name: .*/name: during/' -e 's/sh, -c, "/&if [ $THRONG_TRIAL = 40 ]; then for i in $(seq 200); do [ -e .throng\/during\/study.db ] \&\& throng status --json during | grep -q incumbent \&\& touch heard \&\& break; sleep 0.1; done; fi; /' \
    noisy.yaml >during.yaml
run "$THRONG" run during.yaml --quiet
check_equal "all of them ran" 0 "$status"
check "what is expected can be seen while trials run" test -e heard
rm -r .throng/during

# Equal points with equal values prove that there is none, and without equal
# points nothing is proven: however rough the values are.
for method in ga tpe gp; do
    study exact_$method 0 $method "$few"
    check_best exact_$method
    run "$THRONG" status --json exact_$method
    check_equal "$method: equal points had equal values" False "$(json '"incumbent" in d')"
    check_lacks "$method: nothing is said of noise" "$(cat run.out)" "luck"
    run "$THRONG" rank exact_$method
    check_lacks "$method: no column of guesses" "$out" "expected"
done
study alone 0.6 tpe "$many"
check_best alone
run "$THRONG" status --json alone
check_equal "no point was tried twice: nothing is proven" False "$(json '"incumbent" in d')"
study blind 0.6 random "$few"
run "$THRONG" status --json blind
check_equal "of points that nobody chose nothing is expected" False "$(json '"incumbent" in d')"
