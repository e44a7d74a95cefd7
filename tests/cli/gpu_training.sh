#!/usr/bin/env bash
# `device: cuda`: on a GPU where there is one, and elsewhere in words.
# thorough: with throng-worker-cuda, which `make test` does not build
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/digits/{mlp.yaml,search.yaml,digits.csv.gz} .
worker=$(dirname "$THRONG")/throng-worker-cuda
single=(train mlp.yaml lr=0.01 units=16 dropout=0.1)

run "$THRONG" doctor
if [[ -x $worker ]]; then
    check_equal 'doctor says what the second worker says of the GPU' \
        "$("$worker" --describe-device cuda | sed 's/ / cuda /;1q')" \
        "$(tr -s ' ' <<<"$out" | grep ' cuda ' | grep -v devices)"
else
    check_matches 'doctor says that there is no second worker' "$out" \
        '^-- +cuda +no throng-worker-cuda'
fi

run "$THRONG" "${single[@]}" --device cuda
if ((status == 0)); then
    ok 'a model is trained on the GPU'
    gpu=yes
else
    check_status 'without a GPU training fails' 1
    check_contains 'and it is said what is missing' "$err" \
        'this machine has no device cuda: '
    gpu=
fi

run "$THRONG" "${single[@]}" --device gpu
check_status 'a device that nobody knows is refused' 2
check_contains 'with those that there are' "$err" 'reference, cuda'

sed -e 's/^run_cap:.*/run_cap: 4/' search.yaml >study.yaml
echo 'device: cuda' >>study.yaml
run "$THRONG" run study.yaml
if [[ $gpu ]]; then
    check_status 'a study is trained on the GPU' 0
else
    check_contains 'each trial of a study says so, too' "$out$err" \
        'this machine has no device cuda: '
fi

run "$THRONG" "${single[@]}" --seed 3
plain=$out
echo 'precision: tf32' >>mlp.yaml
run "$THRONG" "${single[@]}" --seed 3
check_status 'a cpu takes less precision' 0
check_equal 'and multiplies in float32' "$(sed 's/[0-9.]* s\b//g' <<<"$out")" \
    "$(sed 's/[0-9.]* s\b//g' <<<"$plain")"
sed -i 's/^precision:.*/precision: half/' mlp.yaml
run "$THRONG" "${single[@]}"
check_status 'a precision that nobody knows is refused' 1
check_contains 'with those that there are' "$err" 'tf32'
