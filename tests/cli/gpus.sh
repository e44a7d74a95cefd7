#!/usr/bin/env bash
# A GPU for each trial where nobody has said, and none where none is used. The
# GPUs are described ones; a file says what is on them.
. "$(dirname "$0")/lib.sh"

export THRONG_GPUS=a100:8.0:40G,a100:8.0:40G THRONG_GPUS_USE=$TMP/on-gpus
study() { # name script key-lines…
    printf '%s\n' "$2" >"$1.sh"
    printf '%s\n' "name: $1" "command: [sh, $1.sh]" 'method: grid' \
        'parameters: {i: {values: [1, 2, 3, 4, 5, 6]}}' "${@:3}" >"$1.yaml"
    : >"$THRONG_GPUS_USE"
}
saw() { # study: what its trials saw, one letter each: their GPU, or - for none
    for i in 1 2 3 4 5 6; do
        "$THRONG" logs "$1" $i | sed -n 's/^saw \[\(.*\)\]$/\1/p' | sed 's/^$/-/'
    done | tr -d '\n'
}
look='echo "saw [$CUDA_VISIBLE_DEVICES]"'

# ---- one each ------------------------------------------------------------------
study uses "$look"'
echo "0 $$ 500000000" >>"$THRONG_GPUS_USE"; sleep 0.3'
run "$THRONG" check uses.yaml
check_matches "check says that a trial gets a GPU" "$out" '^needs +1 cpu, 1 gpu each'
check_contains "and how that is turned off" "$out" '`resources: {gpus: 0}` turns it off'
run "$THRONG" run uses.yaml
check_status "a study that says nothing of GPUs runs" 0
check_contains "run says it, too" "$err" "each trial gets 1 of the 2 GPUs here"
check_matches "every trial saw one" "$(saw uses)" '^[01]{6}$'
check_lacks "nothing was concluded" "$err" "go by cpus"

# ---- none ----------------------------------------------------------------------
study none "$look"'; sleep 0.3'
echo "1 99999 800000000" >"$THRONG_GPUS_USE" # somebody else's, from before
run "$THRONG" run none.yaml
check_contains "a program that uses none is noticed" "$err" \
    "a trial ended well with no process on a GPU, so trials go by cpus from now on"
check_matches "the first ones had one, the last ones none" "$(saw none)" '^[01]{2}.*-$'
run "$THRONG" check none.yaml
check_contains "check knows it then" "$out" "trials of this study were seen to use none"
run "$THRONG" rerun none 1
run "$THRONG" run none.yaml
check_lacks "and so does the next run" "$err" "each trial gets"

# ---- what proves nothing -----------------------------------------------------------
study fails "$look"'; sleep 0.3; exit 1' 'parallel: 1'
run "$THRONG" run fails.yaml --keep-going
check_lacks "a trial that failed may not have come so far" "$err" "go by cpus"
study hidden "$look"'
echo "0 4194304 0" >>"$THRONG_GPUS_USE"; sleep 0.3'
run "$THRONG" run hidden.yaml
check_lacks "a process that nobody knows is not nothing" "$err" "go by cpus"
study memory "$look"'
echo "0 77 500000000" >"$THRONG_GPUS_USE"; sleep 0.3'
echo "0 77 0" >"$THRONG_GPUS_USE"
run "$THRONG" run memory.yaml
check_lacks "nor is memory that was taken" "$err" "go by cpus"
study silent "$look"'; sleep 0.3'
rm "$THRONG_GPUS_USE"
run "$THRONG" run silent.yaml
check_lacks "nor is a GPU that does not tell" "$err" "go by cpus"

# ---- what was said ------------------------------------------------------------------
study zero "$look" 'resources: {gpus: 0}'
run "$THRONG" run zero.yaml
check_equal "gpus: 0 turns it off" "------" "$(saw zero)"
check_lacks "without a word" "$err" GPU
study own "$look" 'env: {CUDA_VISIBLE_DEVICES: "7"}'
run "$THRONG" run own.yaml
check_equal "a study that names devices keeps them" 777777 "$(saw own)"
study many "$look"'; sleep 0.3' 'parallel: 4'
rm "$THRONG_GPUS_USE"
run "$THRONG" run many.yaml
check_contains "with more at once than GPUs they are shared" "$err" "2 trials share each of the 2 GPUs"
check_matches "each trial on one" "$(saw many)" '^[01]{6}$'

# ---- models that are asked ---------------------------------------------------------
# They work in throng's own processes, as those that are trained do.
awk 'BEGIN { print "x,y"; for (i = 0; i < 20; i++) print i "," i }' >rows.csv
cut -d, -f1 rows.csv >new.csv
printf '%s\n' 'data: {file: rows.csv, label: y}' 'layers: [{dense: 1}]' 'loss: mse' \
    'epochs: 1' >net.yaml
"$THRONG" train net.yaml >/dev/null 2>&1
printf '%s\n' 'predict: {models: net.safetensors, data: new.csv, shard: 5}' >asked.yaml
printf '%s\n' 'task: {kind: infer, weights: net.safetensors, data: "${file}"}' \
    'method: grid' 'parameters: {file: {values: [new.csv, rows.csv]}}' >named.yaml
for i in asked named; do
    run "$THRONG" check $i.yaml
    check_matches "$i: models that are asked get no GPU each" "$out" '^needs +1 cpu each'
    run "$THRONG" run $i.yaml
    check_status "$i: they answer" 0
    check_lacks "$i: and none of them is given one" "$err" 'GPU here'
done

# ---- what check --try measures ---------------------------------------------------
study tried 'mkdir alone || exit 1
echo "0 $$ 3000000000" >>"$THRONG_GPUS_USE"
truncate -s 200M "$THRONG_CHECKPOINT/state"; echo $THRONG_TRIAL >"$THRONG_OUTPUT/a"
rmdir alone' 'resources: {gpus: 0.5}' 'parallel: 1'
echo "0 99999 800000000" >"$THRONG_GPUS_USE" # somebody else's, from before
run "$THRONG" check tried.yaml --try 1
check_contains "memory of a GPU is measured, without what others have" "$out" \
    "and 2.79 GiB of a GPU"
check_contains "it can be pasted, with some to spare" "$out" \
    "  gpus_minimum_memory: 4352M"
check_contains "disk holds the checkpoint, too" "$out" "  disk: 320M"
sed -n '/^resources:/,$p' "$TMP/.out" >pasted
sed -i '/^resources:/d' tried.yaml && cat pasted >>tried.yaml
run "$THRONG" check tried.yaml
check_status "and is a study file's" 0
sed -i /parallel/d tried.yaml
run "$THRONG" check tried.yaml --try 2 --json
check_status "those that share a GPU are tried one after the other" 0
rm "$THRONG_GPUS_USE"
sed -i 's/^echo.*//' tried.sh
run "$THRONG" check tried.yaml --try 1
check_contains "where nobody can tell, that is said" "$out" \
    "# gpus_minimum_memory: not measured"
