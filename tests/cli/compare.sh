#!/usr/bin/env bash
# Means over several parameters, tests between sets of trials, ablations.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
says() { # NAME STATUS WORDS ARGUMENT…
    local name=$1 code=$2 words=$3
    shift 3
    run "$THRONG" "$@"
    check_status "$name is refused" "$code"
    check_contains "and it is said why" "$err" "$words"
}
# A study whose trials have values as a table says: the name of a row is its
# parameters.
from_points() { # STUDY <<LINES of JSON, a member `v` is its value
    { printf 'command: [throng, report, "loss={v}"]\nmetric: {name: loss}\n'
      printf 'points: points-%s.jsonl\n' "$1"; } >"$1.yaml"
    cat >"points-$1.jsonl"
    "$THRONG" run "$1.yaml" >/dev/null 2>&1
}

# ---- folds: the corrected t test -------------------------------------------
python3 - >three.jsonl <<'END'
import json
loss = {3: [.30, .34, .29, .36, .31], 7: [.35, .37, .36, .40, .33],
        9: [.33, .38, .30, .39, .36]}
for t, list in loss.items():
    for fold, v in enumerate(list, 1):
        for replicate, off in enumerate((-.01, 0, .01), 1):
            print(json.dumps({"template": t, "fold": fold,
                              "replicate": replicate, "v": v + off}))
END
from_points folds <three.jsonl
run "$THRONG" rank --over replicate,fold,v -n 0 --json
check_equal "a list is looked over, one row for each of the rest" "3 15 0.95" \
    "$(json '"%d %d %s" % (len(d["groups"]), d["groups"][0]["count"], d["confidence"])')"
check_equal "the mean has an interval" "0.32 0.3043 0.3357" \
    "$(json '"%.2f %.4f %.4f" % tuple(d["groups"][0][k] for k in ("mean", "low", "high"))')"
run "$THRONG" rank --over replicate,fold,v
check_contains "which the table has, too" "$(head -n 1 <<<"$out")" \
    "$(printf 'mean\tstd\tlow\thigh\tmin\tmax\tn\tbest\ttemplate')"
run "$THRONG" compare folds --over fold --ratio 1/4 template=3 template=7 --json
check_status "two templates are compared over folds" 0
check_equal "by the corrected t test" "t 5 4 -0.042 -3.2549 0.0312" \
    "$(json '"%(test)s %(n)d %(df)d %(difference).3f %(statistic).4f %(p).4f" % d["tests"][0]')"
check_equal "bootstraps are averaged within a fold" '["v", "replicate"]' \
    "$(json 'json.dumps(sorted(d["averaged"], reverse=True))')"
run "$THRONG" compare folds --over fold --ratio 0.25 template=3 template=7
check_contains "the assumptions are said" "$err" "n_test/n_train = 0.25 (as said)"
run "$THRONG" compare folds --over fold --ratio 0.25 template=3 template=7 template=9 --json
check_equal "of three each is compared with each" 3 "$(json 'len(d["tests"])')"
check_equal "as Holm adjusts it" True "$(json 'all(
    abs(a - b) < 1e-12 for a, b in zip(
        [t["p_holm"] for t in sorted(d["tests"], key=lambda t: t["p"])],
        (lambda p: [min(1, max(p[j] * (3 - j) for j in range(i + 1))) for i in range(3)])(
            sorted(t["p"] for t in d["tests"]))))')"
cp "$TMP/.out" holm.json

# ---- what does not go --------------------------------------------------------
says "a value that no trial has" 1 "of \`template\` there is 3, 7, 9" \
    compare folds --over fold --ratio 0 template=3 template=8
says "a parameter that there is none of" 1 "no trial has a parameter" \
    compare folds --over fold --ratio 0 templat=3 templat=7
says "a study that does not say the ratio" 1 "the study does not say how many rows" \
    compare folds --over fold template=3 template=7
says "a ratio that is none" 2 "expected rows that judge" \
    compare folds --over fold --ratio 1/0 template=3 template=7
says "one set alone" 2 "name two or more" compare folds --over fold template=3
says "trials in place of sets" 2 "throng diff 3 7" compare 3 7
says "no word on what pairs them" 2 "say in what trials are paired" \
    compare folds template=3 template=7
says "the same twice" 2 "is named twice" \
    compare folds --over fold --ratio 0 template=3 template=3
says "sets that overlap" 1 "must have no trial in common" \
    compare folds --over fold --ratio 0 template=3 replicate=1
says "too few pairs" 1 "too few to compare" \
    compare folds --over fold --ratio 0 --where fold=2 template=3 template=7
says "what is looked over as what is compared" 2 "is looked over" \
    compare folds --over fold --ratio 0 fold=1 fold=2
grep -v '"template": 7, "fold": 4' three.jsonl | sed 's/"template": 7, "fold": 5, \(.*\)"v": .*}/"template": 7, "fold": 5, \1"v": "nan"}/' >holes.jsonl
from_points holes <holes.jsonl
run "$THRONG" compare holes --over fold --ratio 0.25 template=3 template=7
check_contains "a fold that is missing is named" "$err" \
    "template=7 has no value at fold=4"
check_contains "so are values that are no numbers" "$err" \
    "3 of 12 trials of template=7 have no value"
check_equal "and the rest is compared" 3 "$(sed -n 2p <<<"$out" | cut -f3)"
sed 's/"template": 3/"template": 4/' three.jsonl | cat - three.jsonl >same.jsonl
from_points same <same.jsonl
run "$THRONG" compare same --over fold --ratio 0.25 template=3 template=4
check_status "no difference at all is no error" 0
check_contains "it has no p, which is said" "$err" "all differences are zero"

# ---- data sets: Wilcoxon ------------------------------------------------------
python3 - >sets.jsonl <<'END'
import json
d = [.01, .02, -.005, .04, .03, .06, .05]
for i, off in enumerate(d):
    for t in (3, 7):
        for fold in (1, 2, 3):
            print(json.dumps({"template": t, "dataset": "%c.csv" % (97 + i),
                "fold": fold, "v": .3 + i / 10 + fold / 50 + off * (t == 3)
                + .001 * fold * (t == 7)}))
END
from_points sets <sets.jsonl
run "$THRONG" compare sets --over dataset,fold --ratio 1/2 template=3 template=7 --json
check_equal "over data sets there is a row each, and signed ranks over all" \
    "7 1 7" "$(json '"%d %d %d" % (sum(t["test"] == "t" for t in d["tests"]),
        sum(t["test"] == "wilcoxon" for t in d["tests"]), d["tests"][-1]["n"])')"
check_equal "with the p of all ways to sign them" 0.03125 \
    "$(json 'd["tests"][-1]["p"]')"
run "$THRONG" compare sets --over dataset --where 'dataset<"f.csv"' \
    template=3 template=7
check_contains "of five none can be significant, which is said" "$err" \
    "six are needed, with 5 the smallest p is 0.0625"
says "several data sets that are not looked over" 1 "of several data sets" \
    compare sets --over fold --ratio 1/2 template=3 template=7

# ---- ablation -----------------------------------------------------------------
cat >ablate.yaml <<'END'
command: [./train.sh, "{lr}", "{opt}", "{seed}"]
metric: {name: loss}
method: ablate
baseline: {lr: 0.1, opt: sgd}
parameters:
  lr: {values: [0.01, 0.1, 1.0]}
  opt: {values: [sgd, adam]}
  seed: {min: 1, max: 4}
END
cat >train.sh <<'END'
#!/bin/sh
awk -v lr="$1" -v o="$2" -v s="$3" 'BEGIN { r = (s * 7 % 5) / 100
    print "::throng loss=" (lr - .1) * (lr - .1) + (o == "adam") * (-.2 + s / 100) + r }'
END
chmod +x train.sh
run "$THRONG" run ablate.yaml
check_status "method ablate runs" 0
run "$THRONG" export --jsonl
check_equal "each parameter is changed alone, with every seed" "16 4 0" \
    "$(json '"%d %d %d" % (len(d), sum(t["params"]["lr"] == .1 and t["params"]["opt"] == "sgd" for t in d),
        sum(t["params"]["lr"] != .1 and t["params"]["opt"] != "sgd" for t in d))')"
run "$THRONG" compare ablate --ratio 0 --json
check_equal "compare has every change against the baseline" \
    "lr=0.01,baseline lr=1.0,baseline opt=adam,baseline" \
    "$(json '" ".join(t["a"] + "," + t["b"] for t in d["tests"])')"
check_equal "with differences and intervals" "0.81 -0.1750 -0.1955 -0.1545" \
    "$(json '"%.2f %.4f %.4f %.4f" % (d["tests"][1]["difference"], *(d["tests"][2][k] for k in ("difference", "low", "high")))')"
sed 's/baseline:.*/baseline: {lr: 0.1, optt: sgd}/' ablate.yaml >bad.yaml
says "a baseline of something else" 1 "which is no parameter" run bad.yaml
sed '/^baseline/d' ablate.yaml >bad.yaml
says "an ablation without a baseline" 1 "needs a baseline" run bad.yaml

# A parameter that the baseline leaves without a value is not changed, and
# texts may hold anything.
cat >when.yaml <<'END'
command: [sh, -c, "throng report loss={lr}"]
method: ablate
metric: {name: loss}
baseline: {lr: 0.1, opt: "it's, so", momentum: 0.9}
parameters:
  lr: {values: [0.1, 0.2]}
  opt: {values: ["it's, so", sgd]}
  momentum: {values: [0.9, 0.5], when: {opt: sgd}}
  seed: {values: [1, 2, 3]}
END
run "$THRONG" run when.yaml
run "$THRONG" compare when --ratio 0 --json
check_equal "what a baseline leaves out is not changed" \
    "lr=0.2,baseline opt=sgd,baseline" \
    "$(json '" ".join(t["a"] + "," + t["b"] for t in d["tests"])')"
sed 's/lr: {values.*/lr: {min: 1, max: 1000000000}/; s/lr: 0.1/lr: 1/' when.yaml >bad.yaml
says "a baseline with a change for every number" 1 "more than 100000" run bad.yaml

# ---- what a trial cost is a metric ---------------------------------------------
cat >cost.yaml <<'END'
command: [sh, -c, "sleep 0.{n}"]
method: grid
metric: {name: seconds, goal: minimize}
parameters: {n: {values: [5, 1]}}
END
run "$THRONG" run cost.yaml
check_status "seconds are a metric that nobody reports" 0
run "$THRONG" rank cost --json
check_equal "the quickest is the best" "1 5" \
    "$(json '" ".join(str(t["params"]["n"]) for t in d["trials"])')"
for metric in cpu_seconds memory; do
    sed "s/name: seconds/name: $metric/" cost.yaml >"$metric.yaml"
    run "$THRONG" run "$metric.yaml"
    run "$THRONG" rank "$metric" --json
    check_equal "so may be $metric" "2 True" \
        "$(json '"%d %s" % (len(d["trials"]), d["trials"][0]["value"] > 0)')"
done
sed 's/sleep 0.{n}/throng report seconds={n}/' cost.yaml >own.yaml
run "$THRONG" run own.yaml
run "$THRONG" rank own --json
check_equal "a program's own number of that name counts" "1.0 5.0" \
    "$(json '" ".join(str(t["value"]) for t in d["trials"])')"
cat >beside.yaml <<'END'
command: [sh, -c, "echo {n} >r.txt"]
method: grid
metric: {name: loss, file: r.txt}
parallel: 1
constraints: [{name: seconds, max: 60}]
parameters: {n: {values: [5, 1]}}
END
run "$THRONG" run beside.yaml
run "$THRONG" rank beside --json
check_equal "costs have a value beside a metric from a file" "1.0 5.0" \
    "$(json '" ".join(str(t["value"]) for t in d["trials"])')"
