#!/usr/bin/env bash
# The listings of the makers' tutorial, as printed there.
. "$(dirname "$0")/lib.sh"

TEXT=${THRONG_TEST_TUTORIAL:-}
[ -f "$TEXT" ] || skip_all "THRONG_TEST_TUTORIAL names no text of it"

# The listing between ``` marks that follows a line of text.
listing() { # TEXT
    awk -v text="$1" '
        $0 == text { found = 1; next }
        found && /^```/ { if (inside) exit; inside = 1; next }
        found && inside { print }' "$TEXT"
}
value() { # NAME
    python3 -c 'import json, sys
print(repr(json.load(open(sys.argv[1])).get(sys.argv[2], "absent")))' \
        "$TMP/.out" "$1"
}

# ---- the model file --------------------------------------------------------

listing "CANDLE model file" >p3b1_default_model.txt
check_equal "the model file is there" 20 "$(grep -c = p3b1_default_model.txt)"
cat >definitions.json <<'END'
{"definitions": [
  {"name": "shared_nnet_spec", "nargs": "+", "type": "int"},
  {"name": "ind_nnet_spec", "action": "list-of-lists"},
  {"name": "feature_names", "type": "str"}, {"name": "n_fold", "type": "int"}],
 "required": ["learning_rate", "shared_nnet_spec", "ind_nnet_spec"]}
END
run "$THRONG" params p3b1_default_model.txt --definitions definitions.json --json
check_equal "it is read, with no section" "0 " "$status $err"
check_equal "with its values" "0.01 10 'relu' 1800 0.0 '.'" \
    "$(value learning_rate) $(value epochs) $(value activation) $(value timeout) $(value dropout) $(value output_dir)"
check_equal "and lists by its definitions" \
    "[1200] [[1200, 1200], [1200, 1200], [1200, 1200]]" \
    "$(value shared_nnet_spec) $(value ind_nnet_spec)"

# ---- the network it says ----------------------------------------------------

python3 - >reports.csv <<'END'
import random
random.seed(3)
print("site,laterality,grade," + ",".join("x%d" % i for i in range(20)))
for _ in range(60):
    x = [random.random() for _ in range(20)]
    print("%d,%d,%d," % (x[0] > .5, x[1] > .5, int(3 * x[2]))
          + ",".join("%.4f" % v for v in x))
END
run "$THRONG" train p3b1_default_model.txt train_data=reports.csv epochs=3
check_status "the model file trains, its shared layer written as text" 0
check "and learns" awk 'NR == 2 { first = $2 }
    END { exit !(NR == 4 && $2 < first) }' .out
run "$THRONG" model show p3b1_default_model.txt input=400 classes=13
# What is shared is 400*1200+1200; each task 2*(1200*1200+1200)+1200*13+13.
check_contains "it is the tutorial's network, with three tasks" "$out" \
    "parameters  9,175,239"

# ---- levels of parameters --------------------------------------------------

printf '[Global_Params]\nbatch_size = 128\nepochs = 20\nactivation = "relu"\noptimizer = "rmsprop"\n' \
    >mnist_params.txt
run "$THRONG" params mnist_params.txt --json
for pair in "batch_size 128" "epochs 20" "experiment_id 'EXP000'" \
    "logfile None" "rng_seed 7102" "run_id 'RUN000'" "shuffle False" \
    "timeout -1" "train_bool True"; do
    check_equal "the printed parameters: ${pair%% *}" "${pair#* }" \
        "$(value "${pair%% *}")"
done
printf '[Global_Params]\nepochs = 5\n' >model_complex.txt
run "$THRONG" params mnist_params.txt -conf model_complex.txt --json
check_equal "-conf model_complex.txt" "5 128" "$(value epochs) $(value batch_size)"
run "$THRONG" params mnist_params.txt -conf model_complex.txt -e 1 --json
check_equal "-e 1" 1 "$(value epochs)"
run "$THRONG" params p3b1_default_model.txt --learning_rate 0.02 --run_id "run2" --json
check_equal "--learning_rate 0.02 --run_id run2" "0.02 'run2'" \
    "$(value learning_rate) $(value run_id)"

# ---- the unrolled parameter file -------------------------------------------

listing "UPF param example" >upf-1.txt
cat >infer.yaml <<'END'
command: ["sh", "-c", "echo \"$@\"; echo IMPROVE_RESULT 1", infer, "${args_candle}"]
protocol: candle
metric: {name: loss}
parameters_file: upf-1.txt
END
run "$THRONG" run infer.yaml
check_status "the unrolled file runs" 0
run "$THRONG" export infer --jsonl
check_equal "as five runs with their ids" \
    "dropout1 dropout2 dropout3 dropout4 dropout5" \
    "$(grep -o '"run_id":"[a-z0-9]*"' <<<"$out" | cut -d'"' -f4 | sort -u | paste -sd' ')"
run "$THRONG" logs infer 3
check_contains "and their parameters" "$out" \
    "--model_file /gpfs/mira-home/hsyoo/prj/demo/Candle/examples/mnist/ckpt.03.model.json --run_id dropout3"
