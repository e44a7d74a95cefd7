#!/usr/bin/env bash
# CANDLE's unrolled parameter files as lists of points.
. "$(dirname "$0")/lib.sh"

# ---- the tutorial's listing ------------------------------------------------

cat >upf.txt <<'EOF'
{  
    "id": "dropout1",  
    "model_file": "/mnist/ckpt.01.model.json",  
    "weights_file": "/mnist/ckpt.weights.h5"  
}  
{  
    "id": "dropout2",  
    "model_file": "/mnist/ckpt.02.model.json",  
    "weights_file": "/mnist/ckpt.weights.h5"  
}
EOF
cat >infer.yaml <<'EOF'
command: [sh, -c, 'echo "$@" >>said', infer, "${args_no_equals}"]
points: upf.txt
EOF
run "$THRONG" check infer.yaml
check_contains "check counts its objects" "$out" "trials   2"
run "$THRONG" run infer.yaml
check_status "the study runs" 0
run "$THRONG" export infer --jsonl
check_contains "a run has its own id" "$out" '"run_id":"dropout1"'
run "$THRONG" show infer 2
check_matches "and shows it" "$out" "^run_id +dropout2$"

# ---- real files ------------------------------------------------------------

if real_data candle-spaces; then
    while read -r count id name; do
        printf 'command: [echo, "${args}"]\nparameters_file: %s\n' \
            "$THRONG_TEST_DATA/candle-spaces/$name" >real.yaml
        run "$THRONG" check real.yaml
        check_contains "$name has its $count runs" "$out" "trials   $count"
        check_matches "and its ids ($name)" "$out" "^  1  .*--run_id=$id\b"
    done <<'EOF'
25 1 cp1-upf.txt
20 1 cp1-upf_use_exported_no_nci.txt
4 RUN001 csg-upf-1.txt
4 RUN001 csg-upf-graphdrp-polaris.txt
3 RUN000 upf-upf-1.txt
1 default_run workflow_settings-upf-default.txt
1 mytest workflow_settings-upf1.txt
8 hpset_10 workflow_settings-upf2.txt
7 hpset_01 workflow_settings-upf3.txt
EOF
    printf 'command: [echo]\nparameters_file: %s\n' \
        "$THRONG_TEST_DATA/candle-spaces/cp1-infer_upf.txt" >real.yaml
    run "$THRONG" check real.yaml
    check_status "a CSV file without a header is refused" 1
    check_contains "at its place" "$err" "cp1-infer_upf.txt:1:29: error:"
else
    skip "real unrolled parameter files are read" \
        "$no_real_data"
fi

# ---- a listing of weights is inferences ------------------------------------

python3 - >rows.csv <<'EOF2'
import random
random.seed(3)
for i in range(60):
    print("%.3f,%.3f,%d" % (random.gauss(i % 2, .5), random.random(), i % 2))
EOF2
cat >net.yaml <<'EOF2'
data: {file: rows.csv}
layers: [{dense: 4, activation: relu}, {dropout: 0.2}, {dense: 2}]
loss: sparse_categorical_crossentropy
metrics: [accuracy]
epochs: 3
EOF2
run "$THRONG" train net.yaml
head -n 20 rows.csv >new.csv
mkdir below
mv net.safetensors below/
cat >upf.txt <<'EOF2'
{"id": "a", "weights_file": "below/net.safetensors", "rate": 0.1}
{"id": "b", "weights_file": "below/none.safetensors", "rate": 0.1}
{"id": "c", "weights_file": "below/net.safetensors", "rate": 0.4}
{"id": "d", "weights_file": "below/net.safetensors", "rate": "much"}
EOF2
cat >ask.yaml <<'EOF2'
parameters_file: upf.txt
task:
  kind: infer
  data: new.csv
  samples: 3
  permanent_dropout: ${rate}
metric: {name: loss, goal: minimize}
EOF2
run "$THRONG" check ask.yaml
check_contains "what is asked is shown" "$out" 'infer data="new.csv" samples=3'
sed 's/data: new.csv/data: gone.csv/' ask.yaml >gone.yaml
run "$THRONG" check gone.yaml
check_status "rows that are not there are a mistake" 1
check_contains "which is named" "$err" "gone.yaml:4:9: error: task.data: there is no gone.csv"
run "$THRONG" run --quiet ask.yaml
run eval '"$THRONG" export ask --jsonl | python3 -c "import json, sys
for line in sys.stdin:
    t = json.loads(line)
    print(t[\"run_id\"], t[\"state\"], sep=\",\")"'
check_contains "a trial whose weights are there is an inference" "$out" "a,done"
check_contains "and so is the next" "$out" "c,done"
check_contains "one whose are not is invalid" "$out" "b,invalid"
run "$THRONG" show ask 2
check_contains "and says which" "$out" "below/none.safetensors: No such file"
run "$THRONG" show ask 4
check_contains "as one with no rate" "$out" "must be a rate from 0 to 0.999, not much"
run "$THRONG" predict below/net.safetensors --data new.csv --samples 3 \
    --permanent-dropout 0.4 --csv
asked=$out
check_equal "predictions are those of predict" \
    "$(cat .throng/ask/trials/0/3/output/predictions.csv)" "$asked"
echo '{"id": "e", "weights_file": "below/net.safetensors", "rate": 0.4}' >>upf.txt
run "$THRONG" run --quiet ask.yaml
check_equal "a trial that was added finds the model that another has made" \
    "$(cat .throng/ask/trials/0/5/output/predictions.csv)" "$asked"
check_equal "which is there once for each rate" 2 \
    "$(ls .throng/ask/models | wc -l)"
