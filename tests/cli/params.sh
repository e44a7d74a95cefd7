#!/usr/bin/env bash
# CANDLE parameter files: what a model would get, from which of its sources.
. "$(dirname "$0")/lib.sh"

# One parameter of what was printed, as Python writes it.
value() { # NAME
    python3 -c 'import json, sys
print(repr(json.load(open(sys.argv[1])).get(sys.argv[2], "absent")))' \
        "$TMP/.out" "$1"
}

# ---- the files of real models ----------------------------------------------

if real_data candle-parameters/expected.jsonl; then
    cat >compare.py <<'EOF'
import json, os, subprocess, sys
throng, folder = sys.argv[1:]
count = 0
for line in open(os.path.join(folder, "expected.jsonl")):
    expected = json.loads(line)
    path = os.path.join(folder, expected["file"])
    said = subprocess.run([throng, "params", path, "--json"],
                          capture_output=True, text=True)
    if said.returncode:
        sys.exit("%s: %s" % (expected["file"], said.stderr))
    got = json.loads(said.stdout)
    for key, value in expected["values"].items():
        if repr(got.get(key, "absent")) != repr(value):
            sys.exit("%s: %s is %r, not %r" % (
                expected["file"], key, got.get(key, "absent"), value))
    if list(got) != sorted(got) or said.stdout.count("\n") != 1:
        sys.exit("%s: not one line with sorted keys" % expected["file"])
    count += 1
print(count)
EOF
    run python3 compare.py "$THRONG" "$THRONG_TEST_DATA/candle-parameters"
    check_equal "every real file gives exactly what Python reads" "0 40" \
        "$status $out$err"
else
    skip "every real file gives exactly what Python reads" \
        "$no_real_data"
fi

# ---- the tutorial's listing ------------------------------------------------

cat >p3b1.txt <<'EOF'
data_url = 'ftp://ftp.mcs.anl.gov/pub/candle/public/benchmarks/P3B1/'  
train_data = 'P3B1_data.tar.gz'  
model_name = 'p3b1'  
learning_rate = 0.01  
batch_size = 10  
epochs = 10  
drop = 0.0  
ind_nnet_spec = '1200, 1200:1200, 1200:1200, 1200'  
scaling = 'none'  
output_dir = '.'  
initialization='glorot_uniform'
EOF
echo "epochs = 7" >model_complex.txt
run "$THRONG" params p3b1.txt --json
check_equal "a file without a section" "0 10 0.0" \
    "$status $(value epochs) $(value dropout)"
run "$THRONG" params p3b1.txt -conf model_complex.txt --json
check_equal "-conf" "0 7 10" "$status $(value epochs) $(value batch_size)"
run "$THRONG" params p3b1.txt -conf model_complex.txt -e 1 --json
check_equal "and -e over it" "0 1" "$status $(value epochs)"
run "$THRONG" params p3b1.txt --learning_rate 0.1 --drop 0.1 --run_id run1 \
    --json
check_equal "single parameters" "0 0.1 0.1 'run1'" \
    "$status $(value learning_rate) $(value dropout) $(value run_id)"

# ---- levels ----------------------------------------------------------------

echo '{"epochs": 99}' >trial.json
run "$THRONG" params p3b1.txt -e 1 --parameters trial.json --json
check_equal "a trial's parameters stand above the command line" "0 99" \
    "$status $(value epochs)"
mkdir -p model data
echo "epochs = 1" >model/default_model.txt
echo "epochs = 2" >model/beside.txt
echo "epochs = 3" >data/far.txt
run "$THRONG" params model/default_model.txt --config_file beside.txt --json
check_equal "a config file beside the model file is found" "0 2" \
    "$status $(value epochs)"
run "$THRONG" params model/default_model.txt -help
check_contains "-help, as the tutorial has it, is help" "$status $out" \
    "0 usage: throng params"
run env CANDLE_DATA_DIR="$TMP/data" "$THRONG" params model/default_model.txt \
    --config_file far.txt --json
check_equal "and one in CANDLE_DATA_DIR" "0 3" "$status $(value epochs)"

# ---- definitions -----------------------------------------------------------

cat >definitions.yaml <<'EOF'
definitions:
- {name: ind_nnet_spec, action: list-of-lists}
- {name: latent_dim, type: int}
required: [latent_dim, epochs, nothing]
EOF
run "$THRONG" params p3b1.txt --definitions definitions.yaml --json
check_status "what is required and missing is a mistake" 1
check_contains "which names all of it" "$err" \
    "2 required parameters are missing: latent_dim, nothing"
check_equal "and prints nothing as data" "" "$out"
run "$THRONG" params p3b1.txt --definitions definitions.yaml --latent_dim 2 \
    --nothing None --json
check_equal "a list of lists" "0 [[1200, 1200], [1200, 1200], [1200, 1200]]" \
    "$status $(value ind_nnet_spec)"

# ---- what it prints --------------------------------------------------------

"$THRONG" params p3b1.txt 2>/dev/null >again.txt
run "$THRONG" params p3b1.txt --json
first=$out
run "$THRONG" params again.txt --json
check_equal "without --json it prints a file that gives the same" \
    "$first" "$out"

# ---- mistakes --------------------------------------------------------------

printf 'epochs = 2*3\nval_splt = 0.1\nscaling = "x"\n' >wrong.txt
run "$THRONG" params wrong.txt --json
check_status "mistakes in a file" 1
check_contains "an expression has its place" "$err" "wrong.txt:1:11: error: \
epochs: an expression where a literal belongs: 2*3"
check_contains "an unknown keyword is told what it is near to" "$err" \
    "wrong.txt:2:1: warning: val_splt is not a keyword of CANDLE's; its value \
is kept (did you mean val_split?)"
check_contains "a wrong choice is warned of" "$err" "wrong.txt:3:11: warning: \
scaling is one of minabs, maxabs, minmax, std, none, not 'x'; kept as it is"
run "$THRONG" params p3b1.txt -e ten
check_status "a mistake on the command line is one of usage" 2
run "$THRONG" params
check_status "no file at all" 2
run "$THRONG" params none.txt
check_status "a file that is not there" 1
check_contains "is named" "$err" "none.txt"
run "$THRONG" params p3b1.txt --definitions
check_status "an option without its value" 2
echo "config_file = 'circle.txt'" >circle.txt
run "$THRONG" params circle.txt
check_status "a file that names itself" 1
check_contains "has its place" "$err" \
    "circle.txt:1:15: error: config_file leads back to circle.txt"
