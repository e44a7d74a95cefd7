#!/usr/bin/env bash
# throng importance: which parameters matter, and where they are good.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
cat >study.yaml <<'END'
name: s
command: [sh, -c, 'throng report loss=$(awk "BEGIN { x = {x}; print (x - 1) ^ 2 + ({kind} == 2) * 3 }") side={y}']
method: random
run_cap: 150
seed: 1
metric: {name: loss}
parameters:
  x: {min: -5.0, max: 5.0}
  y: {distribution: log_uniform_values, min: 1e-4, max: 1.0}
  kind: {values: [1, 2]}
  fixed: {value: 3}
END
run "$THRONG" run study.yaml --count 5
run "$THRONG" importance
check_status "a few results say nothing" 1
check_matches "which is said" "$err" "result"
"$THRONG" run study.yaml >/dev/null 2>&1
for method in ped-anova fanova; do
    run "$THRONG" importance --method $method --json
    check_equal "$method: what decides comes first, the rest matters little" "x True True" \
        "$(json '"%s %s %s" % (d["parameters"][0]["name"], d["parameters"][0]["share"] > 0.5,
            {p["name"]: p["share"] for p in d["parameters"]}["y"] < 0.1)')"
    check_equal "$method: constants have no say" "['kind', 'x', 'y']" \
        "$(json 'sorted(p["name"] for p in d["parameters"])')"
done
run "$THRONG" importance --json
check_equal "the curve is lowest near the optimum" True \
    "$(json 'abs(min((c["mean"], (c["from"] + c["to"]) / 2) for c in d["parameters"][0]["cells"])[1] - 1) < 0.8')"
check_equal "good and bad regions lie where they should" "True True" \
    "$(json '"%s %s" % (all(-1 < c["from"] and c["to"] < 3 for c in d["parameters"][0]["cells"] if c["region"] == "good"),
        d["parameters"][0]["cells"][0]["region"] == "bad")')"
check_equal "all results count" 150 "$(json 'd["results"]')"
cp .out first
run "$THRONG" importance s --json
check "the answer is the same every time" cmp .out first
run "$THRONG" importance
check_matches "for people: shares with bars" "$out" '^x +[0-9.]+ %  █'
check_matches "curves drawn in blocks" "$out" '^ +-5 █.*▁.* 5 '
check_matches "choices with a line each" "$out" '^  2 +[0-9.]+  '
check_matches "good regions named" "$out" '^good: .*x from '
check_matches "bad ones too" "$out" '^bad: .*x from -5'
run "$THRONG" importance --by side --json
check_equal "another metric may be asked about" "side y" \
    "$(json 'd["metric"] + " " + d["parameters"][0]["name"]')"
run "$THRONG" importance --by sied
check_contains "one that is not there is named" "$err" "side"
run "$THRONG" importance --method best
check_status "so is a method" 2
{
    echo a,kind,lr,file
    for i in $(seq 1 60); do
        echo "$((i * 7 % 60)),$([ $((i % 3)) = 0 ] && echo sgd || echo adam),0.$((i % 2 + 1)),run-$i.txt"
    done
} >list.csv
printf '%s\n' 'name: list' 'command: [throng, report, "loss={a}"]' 'metric: {name: loss}' \
    'points: list.csv' >list.yaml
run "$THRONG" run list.yaml --count 5
run "$THRONG" importance list
check_contains "a few results of a list of points say nothing either" "$err" "5 results"
"$THRONG" run list.yaml >/dev/null 2>&1
for method in ped-anova fanova; do
    run "$THRONG" importance list --method $method --json
    check_equal "$method: the columns of a list of points are its parameters" \
        "a True ['a', 'kind', 'lr'] 0 59 60" \
        "$(json '"%s %s %s %s %s %d" % (d["parameters"][0]["name"], d["parameters"][0]["share"] > 0.5,
            sorted(p["name"] for p in d["parameters"]), d["parameters"][0]["cells"][0]["from"],
            d["parameters"][0]["cells"][-1]["to"], d["results"])')"
done
run "$THRONG" importance list
check_matches "its words are choices" "$out" '^  sgd '
check_matches "and few numbers, too" "$out" '^  0.1 '
cut -d , -f 4 list.csv >words.csv
printf '%s\n' 'name: words' "command: [sh, -c, 'throng report loss=1', '{file}']" \
    'metric: {name: loss}' 'points: words.csv' >words.yaml
"$THRONG" run words.yaml >/dev/null 2>&1
run "$THRONG" importance words
check_status "words that all differ say nothing" 1
check_contains "which is said, and what would" "$err" "or of a few words, are needed"
cat >whole.yaml <<'END'
name: whole
command: [throng, report, "loss={n}"]
method: sobol
run_cap: 120
seed: 1
metric: {name: loss}
parameters: {n: {min: 0, max: 5}, other: {min: 0.0, max: 1.0}}
END
"$THRONG" run whole.yaml >/dev/null 2>&1
run "$THRONG" importance whole
check_matches "a whole number is in one region only: good" "$out" '^good: n 0'
check_matches "or bad" "$out" '^bad: n from 1 to 5'
