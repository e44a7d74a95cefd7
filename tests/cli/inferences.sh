#!/usr/bin/env bash
# What inferences over many rows did, and how fast: the verb inferences, and
# t_image, which shards report.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3); print "a,b,y"
    for (i = 0; i < 120; i++) { x = rand(); y = rand(); print x "," y "," x * y } }' >rows.csv
awk 'BEGIN { srand(4); print "a,b"
    for (i = 0; i < 500; i++) print rand() "," rand() }' >new.csv
for rate in 1 3; do
    cat >net$rate.yaml <<MODEL
layers: [{dense: 6, activation: tanh}, {dropout: 0.$rate}, {dense: 1}]
loss: mse
epochs: 1
data: {file: rows.csv, label: y, validation: 0.2}
MODEL
    "$THRONG" train net$rate.yaml >/dev/null 2>&1
done
cat >model.yaml <<'MODEL'
layers: [{dense: 4}, {dropout: {rate: "${rate}"}}, {dense: 1}]
loss: mse
epochs: 1
data: {file: rows.csv, label: y, validation: 0.2}
MODEL
cat >study.yaml <<'STUDY'
name: nets
model: model.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {rate: {values: [0.2, 0.4]}}
STUDY
"$THRONG" run -q study.yaml
run "$THRONG" inferences
check_status "a folder without an inference is no mistake" 0
check_contains "and is told so" "$err" "no study here is an inference"

# ---- three of them -------------------------------------------------------------
cat >one.yaml <<'STUDY'
predict: {models: net1.safetensors, data: new.csv, samples: 5, shard: 200}
STUDY
cat >both.yaml <<'STUDY'
predict: {models: nets, data: new.csv, samples: 3, shard: 100, keep: "top:sd:4"}
STUDY
cat >own.yaml <<'STUDY'
retries: 0
predict: {data: new.csv, shard: 250}
command: test "$THRONG_P_shard" = 1 && cat "$THRONG_SHARD" > "$THRONG_PREDICTIONS"
STUDY
cat >plain.yaml <<'STUDY'
predict: {models: net3.safetensors, data: new.csv}
STUDY
for name in one both plain; do "$THRONG" run -q $name.yaml; done
"$THRONG" run -q -k own.yaml >/dev/null 2>&1
run "$THRONG" inferences --json
check_status "they are listed" 0
printf '%s' "$out" >told.json
check "each with what it asked, and what it took" python3 - <<'END'
import json

told = json.load(open("told.json"))
assert told["schema"] == "throng.inferences/1"
by = {i["study"]: i for i in told["inferences"]}
assert sorted(by) == ["both", "one", "own", "plain"], sorted(by)
def is_(name, **wanted):
    for key, value in wanted.items():
        assert by[name][key] == value, (name, key, by[name])
is_("one", shards=3, done=3, failed=0, rows=500, models=1, samples=5,
    predictions=2500, dropout=[0.1, 0.1])
is_("both", shards=5, done=5, failed=0, rows=500, models=2, samples=3,
    predictions=3000, dropout=[0.2, 0.4])
is_("plain", shards=1, done=1, failed=0, rows=500, models=1, samples=1,
    predictions=500, dropout=None)
is_("own", shards=2, done=1, failed=1, rows=250, models=0, samples=1,
    predictions=250, dropout=None, t_image=None)
for name in ("one", "both", "plain"):
    i = by[name]
    assert 0 < i["t_image"] < 1 and i["slots"] >= 1, i
    assert 0 < i["seconds"] <= i["slot_seconds"] + 2e-6, i
    for key in ("seconds", "slot_seconds"):
        assert i[key] == round(i[key], 6), i
    assert abs(i["predictions_per_second"] * i["slot_seconds"] - i["predictions"]) < 1e-6 * i["predictions"]
    assert i["predictions"] * i["t_image"] <= i["slot_seconds"], i
total = told["total"]
assert total["predictions"] == 6250 and total["shards"] == 11 and total["failed"] == 1
assert abs(total["seconds"] - sum(i["seconds"] for i in by.values())) < 1e-6
timed = [by[n] for n in ("one", "both", "plain")]
mean = sum(i["t_image"] * i["predictions"] for i in timed) / 6000
assert abs(total["t_image"] - mean) < 1e-9 * mean + 1e-12, (total, mean)
END
run "$THRONG" inferences one both
check_equal "a line for each that is named, and one for all" "study one both total" \
    "$(printf '%s\n' "$out" | cut -f1 | tr '\n' ' ' | sed 's/ $//')"
check_matches "rates that differ are a range" "$out" $'\t0.2 to 0.4\t'
run "$THRONG" inferences nets
check_status "a study of another kind is a mistake" 1
check_contains "which is said" "$err" "nets is no inference: its file has neither predict nor"

# ---- trials that name their models ----------------------------------------------
head -n 41 new.csv >some.csv
cat >upf.txt <<'UPF'
{"id": "a", "weights_file": "net1.safetensors", "times": 4}
{"id": "b", "weights_file": "none.safetensors", "times": 4}
{"id": "c", "weights_file": "net3.safetensors", "times": 4}
UPF
cat >listed.yaml <<'STUDY'
parameters_file: upf.txt
task: {kind: infer, data: some.csv, samples: "${times}"}
STUDY
printf '%s\n' '{"weights_file": "net1.safetensors"}' '{"weights_file": "net3.safetensors"}' >bare.txt
printf 'parameters_file: bare.txt\ntask: infer\n' >bare.yaml
run "$THRONG" run -q listed.yaml
"$THRONG" run -q bare.yaml
run "$THRONG" inferences --json listed bare
check_status "a listing of models is an inference" 0
printf '%s' "$out" >told.json
check "of which each trial is counted with its rows" python3 - <<'END'
import json

told = json.load(open("told.json"))
listed, bare = told["inferences"]
def is_(one, **wanted):
    for key, value in wanted.items():
        assert one[key] == value, (key, one)
is_(listed, study="listed", shards=3, done=2, failed=1, rows=80, models=1,
    samples=4, predictions=320, dropout=[0.1, 0.3])
is_(bare, study="bare", shards=2, done=2, failed=0, rows=48, models=1, samples=1,
    predictions=48, dropout=None)
for one in (listed, bare):
    assert 0 < one["t_image"] < 1 and one["predictions_per_second"] > 0, one
assert told["total"]["predictions"] == 368 and told["total"]["shards"] == 5
END
echo '{"id": "d", "weights_file": "net1.safetensors", "times": 2}' >>upf.txt
"$THRONG" run -q listed.yaml >/dev/null 2>&1
run "$THRONG" inferences --json listed
check_contains "one that asks less often is added as it is" "$out" \
    '"samples":null,"shards":4,"done":3,"failed":1,"rows":120,"bad_rows":0,"predictions":400,'
run "$THRONG" inferences
check_equal "all of them are found" "bare both listed one own plain" \
    "$(printf '%s\n' "$out" | sed '1d;$d' | cut -f1 | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"

# ---- t_image is a metric of shards ---------------------------------------------
run "$THRONG" show one 2
check_contains "a shard has it" "$out" "t_image"
run "$THRONG" rank one --by t_image --json
check_equal "shards are ranked by it" 3 "$(printf '%s' "$out" | grep -o '"id"' | wc -l)"
run "$THRONG" show both 2
check_contains "one that keeps by rules, too" "$out" "t_image"

# ---- and the verb says it ------------------------------------------------------
run "$THRONG" predict net1.safetensors --data new.csv --samples 5 --csv
check_matches "predict says how long it took" "$err" \
    'throng predict: 500 new rows × 5 passes in [0-9.e-]+ s, t_image [0-9.e-]+ s'
run "$THRONG" predict net1.safetensors --data new.csv --csv -q
check_equal "unless it is to be quiet" "" "$err"
check_equal "which changes no row" 501 "$(printf '%s\n' "$out" | wc -l | tr -d ' ')"
run "$THRONG" evaluate net1.safetensors --json
check_not "what is judged has none" grep -q t_image <<<"$out$err"
