#!/usr/bin/env bash
# Under noise the best trial is the one that a model expects the best of.
. "$(dirname "$0")/lib.sh"

json() { python3 "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
study() { # NAME NOISE METHOD
    printf '%s\n' "name: $1" 'command: [sh, -c, "echo 1 >$THRONG_OUTPUT/file; throng report loss=$(awk -v s=$THRONG_SEED \"BEGIN { srand(s); rand(); print ({x} - 0.3) ^ 2 + '"$2"' * (rand() - 0.5) }\")"]' \
        "method: $3" 'run_cap: 40' 'parallel: 1' 'keep: best:1' 'seed: 2' 'metric: {name: loss}' 'on_finish: cat >finish.json' \
        'parameters: {x: {min: 0.0, max: 1.0}}' 'on_best: cat >>best.jsonl' >$1.yaml
    "$THRONG" run $1.yaml >run.out 2>&1
}
study noisy 0.6 gp
run "$THRONG" status --json
best=$(json 'd["best"]["id"]') incumbent=$(json 'd["incumbent"]["id"]')
check_equal "the best value was luck: less is expected" True \
    "$(json 'd["incumbent"]["expected"] > d["best"]["value"] + 0.05')"
check_equal "on_finish hears of it" "$incumbent $incumbent" \
    "$(python3 -c 'import json; d = json.load(open("finish.json")); print(d["best"]["trial"], d["incumbent"]["trial"])')"
expected=$(json '"%.5g" % d["incumbent"]["expected"]')
check_equal "the last that on_best hears of is the same" "$incumbent" "$(tail -n 1 best.jsonl |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["best"]["trial"])')"
check_contains "the run ends with it" "$(cat run.out)" "best $expected expected (trial $incumbent)"
check_contains "and with the best value" "$(cat run.out)" "(trial $best), may be luck"
run "$THRONG" status
check_contains "the best is what is expected" "$out" "expected (trial $incumbent)"
check_contains "the best value is shown too" "$out" "(trial $best), may be luck"
run "$THRONG" ls
check_contains "ls names it" "$out" "loss=$expected expected (trial $incumbent)"
run "$THRONG" ls --json
check_equal "and both for programs" "$best $incumbent" \
    "$(json '"%(best)d %(incumbent)d" % {k: d["studies"][0][k]["id"] for k in ("best", "incumbent")}')"
run "$THRONG" watch -1 noisy
check_contains "watch names it" "$out" "expected (trial $incumbent)"
check_equal "and lists it first" "$incumbent" "$(awk '$1 == 1 { print $2; exit }' <<<"$out")"
run "$THRONG" show best --json
check_equal "the selector best means it" "$incumbent" "$(json 'd["trials"][0]["trial"]["id"]')"
run "$THRONG" rank -n 0 --json
ranked=$(json '[t["id"] for t in d["trials"]]')
check_equal "best:N goes along the ranking" "$ranked" \
    "$("$THRONG" export --jsonl best:40 | python3 -c 'import json, sys; print([json.loads(l)["id"] for l in sys.stdin])')"
run "$THRONG" rank --json
check_equal "rank begins with what is expected" "$incumbent True" \
    "$(json '"%d %s" % (d["trials"][0]["id"], all(a["expected"] <= b["expected"] for a, b in zip(d["trials"], d["trials"][1:])))')"
check_equal "as many rows as were asked for" 10 "$(json 'len(d["trials"])')"
check_equal "the files of both are kept" "2" \
    "$(ls -d .throng/noisy/trials/0/$best .throng/noisy/trials/0/$incumbent 2>/dev/null | wc -l)"
run "$THRONG" rank
check_contains "in a column of its own" "$(head -n 1 <<<"$out")" "expected"
run "$THRONG" rank --by value -n 1 --json
check_equal "--by value ranks by values" "$best False" \
    "$(json '"%d %s" % (d["trials"][0]["id"], "expected" in d["trials"][0])')"
run "$THRONG" rank -n 0 --where 'x < 0.5' --json
check_equal "a filter goes with it" True "$(json 'all(t["params"]["x"] < 0.5 for t in d["trials"])')"

# The last trial waits, for 20 s at most, until on_best has heard of noise.
sed -e 's/^name: .*/name: during/' -e 's/sh, -c, "/&if [ $THRONG_TRIAL = 40 ]; then for i in $(seq 200); do grep -q incumbent best.jsonl \&\& touch heard \&\& break; sleep 0.1; done; fi; /' \
    noisy.yaml >during.yaml
: >best.jsonl
run "$THRONG" run during.yaml --quiet
check_equal "all of them ran" 0 "$status"
check "on_best hears of it while trials run" test -e heard

study exact 0 gp
run "$THRONG" status --json
check_equal "without noise the best value is the best" False "$(json '"incumbent" in d')"
run "$THRONG" rank --json
check_equal "and ranks" True \
    "$(json 'all(a["value"] <= b["value"] for a, b in zip(d["trials"], d["trials"][1:]))')"

# A method without a model of its own has one made of its results.
for method in tpe cmaes forest; do
    study noisy_$method 0.6 $method
    run "$THRONG" status --json
    check_equal "$method: the best value was luck" True \
        "$(json 'd["incumbent"]["expected"] > d["best"]["value"] + 0.05')"
    study exact_$method 0 $method
    run "$THRONG" status --json
    check_equal "$method: without noise the best value is the best" False "$(json '"incumbent" in d')"
done
study blind 0.6 random
run "$THRONG" status --json
check_equal "of points that nobody chose nothing is expected" False "$(json '"incumbent" in d')"
