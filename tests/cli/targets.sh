#!/usr/bin/env bash
# A model on data sets that it was not trained on; how much is done in a day.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }

# Two tables of which the second has its numbers ten times as large.
table() { # SEED FACTOR
    awk -v s="$1" -v f="$2" 'BEGIN { srand(s); print "x,y,kind"
        for (i = 0; i < 60; i++) { k = i % 2
            printf "%.6f,%.6f,%s\n", f * (k + rand()), f * rand(), k ? "b" : "a" } }'
}
table 1 1 >one.csv
table 2 1 >two.csv
table 3 10 >far.csv
cat >model.yaml <<'END'
# Its seed is a parameter.
layers: [{dense: 4, activation: tanh}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: 0.05}
batch_size: 16
epochs: 5
seed: ${seed}
metrics: [accuracy]
data: {file: "${dataset}", label: kind, scale: std, validation: 0.25, targets: [two.csv, far.csv]}
END
cat >study.yaml <<'END'
model: model.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {dataset: {values: [one.csv, two.csv]}, seed: {values: [1, 2]}}
END
run "$THRONG" run study.yaml
check_status "models are judged on other tables, too" 0
run "$THRONG" export --jsonl
check_equal "each metric is called by its target" \
    "far/accuracy far/loss loss two/accuracy two/loss val_accuracy val_loss" \
    "$(json '" ".join(sorted(d[0]["metrics"]))')"
judged=$(json 'd[0]["metrics"]["far/loss"]["last"]')
run "$THRONG" evaluate "$(find .throng/study -path '*/1/*weights.safetensors')" --data far.csv --json
check_equal "as evaluate judges the same weights" True \
    "$(json "abs(d['metrics']['loss'] - $judged) < 1e-6 * $judged")"
run "$THRONG" rank --matrix source,target --json
check_equal "a matrix has who was trained on what and judged on what" \
    "dataset target one.csv,far one.csv,two two.csv,far two.csv,two 2" \
    "$(json '" ".join([d["rows"], d["columns"]] + [c["row"] + "," + c["column"]
        for c in d["cells"]] + [str(d["cells"][0]["count"])])')"
run "$THRONG" rank --matrix source,target
check_equal "also as a table" "dataset \\ target	far	two" "$(head -n 1 <<<"$out")"
run "$THRONG" rank --matrix dataset,seed --json
check_equal "of any two parameters" 4 "$(json 'len(d["cells"])')"
run "$THRONG" rank --matrix source
check_status "one name is no matrix" 2
run "$THRONG" rank --matrix source,sed
check_contains "nor is a name that is none" "$err" "did you mean \`seed\`?"
sed 's/metric:.*/metric: {name: two\/loss}/' study.yaml >chosen.yaml
run "$THRONG" run chosen.yaml
check_status "a target's metric may be the study's" 0
run "$THRONG" rank chosen --json
check_equal "and ranks" 4 "$(json 'len(d["trials"])')"
sed 's/far.csv\]/gone.csv]/' model.yaml >other.yaml
sed 's/model.yaml/other.yaml/' study.yaml >gone.yaml
run "$THRONG" run gone.yaml
check_contains "a target that is not there is told before anything runs" "$err" \
    "data.targets: there is no file gone.csv"
sed 's/far.csv\]/sub\/two.txt]/' model.yaml >other.yaml
run "$THRONG" run gone.yaml
check_contains "so are two of one name" "$err" "two of them would have metrics called two/"

# Inputs and labels in files of their own: targets have names.
for name in one two far; do
    tail -n +2 "$name.csv" | cut -d, -f1,2 >"$name-x.csv"
    tail -n +2 "$name.csv" | cut -d, -f3 >"$name-y.csv"
done
sed '/^data:/d' model.yaml >pair.yaml
cat >>pair.yaml <<'END'
data:
  inputs: "${dataset}-x.csv"
  labels: "${dataset}-y.csv"
  scale: std
  validation: 0.25
  targets:
    two: {inputs: two-x.csv, labels: two-y.csv}
    "10": {inputs: far-x.csv, labels: far-y.csv}
END
sed 's/model.yaml/pair.yaml/; s/\[one.csv, two.csv\]/[one, two]/' study.yaml >pairs.yaml
run "$THRONG" run pairs.yaml
check_status "models of inputs and labels are judged on other pairs" 0
run "$THRONG" export pairs --jsonl
judged=$(json 'd[0]["metrics"]["10/loss"]["last"]')
run "$THRONG" evaluate "$(find .throng/pairs -path '*/1/*weights.safetensors')" \
    --data far-x.csv --labels far-y.csv --json
check_equal "as evaluate judges the same weights" True \
    "$(json "abs(d['metrics']['loss'] - $judged) < 1e-6 * $judged")"
run "$THRONG" rank pairs --matrix source,target --json
check_equal "whose source is what names their inputs" \
    "dataset one,10 one,two two,10 two,two" \
    "$(json '" ".join([d["rows"]] + [c["row"] + "," + c["column"] for c in d["cells"]])')"
refused() { # WHAT TARGETS WORDS
    sed '/^  targets:/,$d' pair.yaml >other.yaml
    echo "  targets: $2" >>other.yaml
    sed 's/pair.yaml/other.yaml/' pairs.yaml >bad.yaml
    run "$THRONG" check bad.yaml
    check_contains "$1" "$err" "$3"
}
refused "a target that is a table is refused" "[two.csv]" "and so must two be: {NAME: {inputs: FILE, labels: FILE}}"
refused "so is one without labels" "{two: {inputs: two-x.csv}}" "so must two be"
refused "and one that is not there" "{two: {inputs: two-x.csv, labels: no.csv}}" "there is no file no.csv"
refused "a name that cuts the metric's in two" "{a/b: {inputs: two-x.csv, labels: two-y.csv}}" "a name has no slash"
refused "a list of nothing" "[]" "must be a list of files"

# ---- how much is done in a day -------------------------------------------------
run "$THRONG" status study --merit --json
check_equal "a study has its figures" "study 4 True True True" \
    "$(json '"%s %d %s %s %s" % ((lambda s: (s["study"], s["models"], s["flops"] > 0,
        abs(s["units_a_day"] * s["unit_seconds"] / s["places"] / 86400 - 1) < 1e-9,
        0 < s["utilisation"] <= 1.001))(d["studies"][0]))')"
check_equal "and the seconds of an epoch" "1 4" \
    "$(json '"%d %d" % (len(d["studies"][0]["epochs"]), d["studies"][0]["epochs"][0]["count"])')"
cat >two.yaml <<'END'
stages:
  first: {study: study.yaml}
  second: {study: ranks.yaml, needs: first}
END
cat >ranks.yaml <<'END'
command: [sh, -c, "for i in 1 2; do sleep 0.0{ranks}; throng report loss=$i; done"]
method: grid
metric: {name: loss}
parameters: {ranks: {values: [1, 4]}, seed: {values: [1, 2]}}
END
run "$THRONG" run two.yaml
run "$THRONG" status two --against study --json
check_equal "a campaign has the harmonic mean of its stages, and its ratio" True \
    "$(json '(abs(2 / sum(1 / s["units_a_day"] for s in d["studies"]) / d["units_a_day"] - 1) < 1e-9
        and d["against"] == "study" and d["ratio"] > 0)')"
check_equal "where epochs ran is told apart" "ranks=1 2 ranks=4 2" \
    "$(json '" ".join("%s %d" % (e["where"], e["count"]) for e in sorted(
        d["studies"][1]["epochs"], key=lambda e: e["where"]))')"
run "$THRONG" status two --merit --against study
check_contains "and is said in words" "$out" "against  study:"
printf 'command: ["false"]\nparameters: {x: {values: [1]}}\n' >none.yaml
run "$THRONG" run none.yaml
run "$THRONG" status none --merit
check_contains "without a model there is nothing to measure" "$err" "no model of \`none\` has ended well"
