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
