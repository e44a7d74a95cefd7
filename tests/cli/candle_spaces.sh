#!/usr/bin/env bash
# CANDLE's search spaces as the space of a study, from file to trials.
. "$(dirname "$0")/lib.sh"

# ---- what each kind becomes ------------------------------------------------

cat >ga.json <<'END'
[ {"name": "lr", "type": "float", "lower": 1e-4, "upper": 0.1, "sigma": "0.01"},
  {"name": "batch_size", "type": "ordered", "element_type": "int",
   "values": [16, 32, 64], "sigma": 1},
  {"name": "nesterov", "type": "logical"},
  {"name": "epochs", "type": "constant", "value": 5, "comment": "few"} ]
END
cat >mbo.R <<'END'
param.set <- makeParamSet(
  makeDiscreteParam("optimizer", values = c("adam", "sgd")),
  makeIntegerParam("batch_size", lower = 5, upper = 7, trafo = function(x) 2L^x),
  makeNumericParam("learning_rate", lower = 1e-5, upper = 0.1)
)
END
cat >dims.py <<'END'
hyperparameters = [(2, 10), (1e-4, 0.1, 'log-uniform'), ('relu', 'tanh')]
END
cat >sweep.json <<'END'
{"parameters": {"epochs": [4, 6, 8], "batch_size": [30, 40]}}
END
cat >draws.json <<'END'
{"parameters": {"epochs": [4, 8], "drop": [0.0, 0.5]}, "samples": {"num": [5]}}
END
study() { # FILE [LINES]
    printf 'command: [throng, report, loss=1]\nmetric: {name: loss}\nparameters_file: %s\n%s\n' \
        "$1" "${2:-}" >"${1%.*}.yaml"
}

study ga.json "run_cap: 6"
run "$THRONG" check ga.yaml
check_contains "check names the kind of a GA space" "$out" \
    "space    ga.json: a GA or PBT space, 4 parameters"
check_contains "and shows a number with its sigma" "$out" \
    '  lr: {distribution: "uniform", min: 0.0001, max: 0.1}  sigma 0.01'
check_contains "and an ordered list" "$out" \
    "  batch_size: {values: [16, 32, 64], ordered: true}  sigma 1.0"
run "$THRONG" run ga.yaml
check_status "such a study runs" 0
run "$THRONG" export ga --jsonl
check_equal "its trials are points of the space" 6 "$(grep -cE \
    '"params":\{"batch_size":(16|32|64),"epochs":5,"lr":0\.0[0-9e-]+,"nesterov":(true|false)\}' <<<"$out")"

printf 'lr,batch_size,nesterov\n0.05,32,true\n0.01,64,false\n' >start.csv
study ga.json "run_cap: 8
method: ga
ga: {population: 4}
points: start.csv"
run "$THRONG" run ga.yaml --new genes
check_status "method ga takes the space, its sigma and a first population" 0
run "$THRONG" export genes --jsonl
check_contains "which comes first" "$(head -n 1 <<<"$out")" \
    '"params":{"batch_size":32,"epochs":5,"lr":0.05,"nesterov":true}'

study mbo.R "method: tpe
run_cap: 12"
run "$THRONG" check mbo.yaml
check_contains "check shows powers as their values" "$out" \
    "  batch_size: {values: [32, 64, 128], ordered: true}"
run "$THRONG" run mbo.yaml
check_status "a method that learns takes an R space" 0
run "$THRONG" export mbo --jsonl
check_equal "and keeps to it" 12 "$(grep -cE \
    '"batch_size":(32|64|128),"learning_rate":[0-9.e-]+,"optimizer":"(adam|sgd)"' <<<"$out")"

study dims.py "run_cap: 3"
run "$THRONG" check dims.yaml
check_contains "check shows tuples" "$out" \
    '  x1: {distribution: "log_uniform_values", min: 0.0001, max: 0.1}'

study sweep.json
run "$THRONG" check sweep.yaml
check_contains "settings of a sweep are a grid" "$out" "method   grid"
check_contains "of all combinations" "$out" "trials   6"
study draws.json
run "$THRONG" check draws.yaml
check_contains "settings with samples are random" "$out" "method   random"
check_contains "and say how many" "$out" "trials   5"
check_contains "with lists as bounds" "$out" \
    '  epochs: {distribution: "int_uniform", min: 4, max: 8}'

study ga.json "run_cap: 6
parameters: {epochs: {values: [1, 2]}, data: {value: x}}"
run "$THRONG" check ga.yaml
check_contains "the study's own parameters count" "$out" \
    "  epochs: {value: 5}  (the study's own counts)"
run "$THRONG" check ga.yaml --json
check_contains "programs are told the file" "$out" \
    '"space_file":{"file":"ga.json","kind":"a GA or PBT space"}'
study ga.json "run_cap: 7"
sed -i 's/"upper": 0.1/"upper": 0.2/' ga.json
run "$THRONG" run ga.yaml
check_status "another space is another study" 1
check_contains "and the difference is named" "$err" "parameter lr: was"

# ---- mistakes --------------------------------------------------------------

sed 's/2L^x/sqrt(x)/' mbo.R >bad.R
study bad.R
run "$THRONG" check bad.yaml
check_status "what R could do besides is refused" 1
check_contains "at its place" "$err" "bad.R:3:76: error: a trafo is read only"
sed 's/"logical"/"logicle"/' ga.json >typo.json
study typo.json
run "$THRONG" run typo.yaml
check_contains "so is an unknown type, with the nearest" "$err" \
    "typo.json:4:32: error: type cannot be 'logicle' (did you mean 'logical'?)"

# ---- real files ------------------------------------------------------------

if real_data candle-spaces; then
    while read -r count name; do
        printf 'command: [echo]\nparameters_file: %s\n' \
            "$THRONG_TEST_DATA/candle-spaces/$name" >real.yaml
        run "$THRONG" check real.yaml
        check_matches "$name becomes $count parameters" "$out" \
            "^space .*/$name: .*, $count parameters?$"
        check_equal "each of which is shown ($name)" "$count" \
            "$(grep -cE '^  [A-Za-z0-9_]+: \{' <<<"$out")"
    done <<'END'
6 GA-adrp_param_space_ga.json
2 GA-cmp_param_space.json
21 GA-combo_param_space_ga.json
3 GA-hidra_param_space.json
3 GA-igtd_param_space_ga.json
17 GA-nt3_param_space_ga.json
1 GA-oned_param_space_ga.json
22 GA-p1b1_param_space_ga.json
4 GA-random_param_space.json
9 GA-tc1_param_space_ga.json
6 grid-settings.json
END
    run "$THRONG" check real.yaml
    check_contains "the grid has its 120 points" "$out" "trials   120"
else
    skip "real spaces are read" "$no_real_data"
fi
