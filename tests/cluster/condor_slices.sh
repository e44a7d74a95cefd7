#!/usr/bin/env bash
# Training that is cut into slices by random vacates ends as one that is not, to
# the last bit. VARIANTS: how many; SEED: of the moments.
# timeout: 1800
# The pool begins and restarts jobs quicker than a real one.
export CONDOR_TEST_FIRST=0.5-1 CONDOR_TEST_PACE=0.1
. "$(dirname "$0")/condor/lib.sh"

variants=${VARIANTS:-3}
least=5
seed=${SEED:-$$}
echo "# seed $seed"

# Some seconds of work each, so that a slice of half a second is a small part.
cat >model.yaml <<'MODEL'
layers: [{dense: "${width}", activation: relu}, {dropout: 0.2}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: "${lr}"}
batch_size: 4
epochs: 1200
data: {file: rows.csv, validation: 0.25}
MODEL
python3 - <<'PY'
import random
random.seed(3)
with open("rows.csv", "w") as f:
    for _ in range(6000):
        a = [random.gauss(0, 1) for _ in range(8)]
        print(",".join(f"{x:.4f}" for x in a) + f",{int(sum(a) > 0)}", file=f)
PY

study() { # NAME
    cat >"$1.yaml" <<YAML
model: model.yaml
method: random
seed: 5
run_cap: $variants
metric: {name: val_loss}
keep: all
parameters:
  width: {values: [192, 224, 256]}
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.001}
# One a job: what waits in a bundle is in no slice.
htcondor: {look: 0.5, bundle_time: 1s, vacate: 60s, checkpoint_every: 1h}
YAML
}

curve() { # STUDY: every point, without its time
    "$THRONG" export "$1" --history | cut -d, -f1,2,4,5 | sort
}

weights() { # STUDY
    (cd ".throng/$1/trials" && find . -name weights.safetensors |
        sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum)
}

# ---- in one piece, here, and in slices ------------------------------------------

study whole
"$THRONG" run whole.yaml --engine local >whole.out 2>&1 &
whole=$!
study sliced
"$THRONG" run sliced.yaml --engine htcondor >sliced.out 2>&1 &
conductor=$!
vacated=$(python3 -B "$ROOT/tests/cluster/condor/cut.py" "$PWD/.throng/sliced" \
    $least "$seed" $conductor)
wait "$conductor"
check_equal "sliced: it runs to its end" 0 $?
wait "$whole"
check_equal "whole: it runs to its end" 0 $?
slices=$(ask sliced 'select min(n), max(n) from (select count(*) as n
    from attempts where outcome != 12 group by trial)')
echo "# $vacated vacates; slices of a variant, fewest and most: $slices"
check "sliced: each of $variants variants came in $least slices or more" \
    test "${slices%|*}" -ge $least
curve whole >whole.curve
curve sliced >sliced.curve
check "sliced: every point of every epoch is equal to the last bit" \
    cmp whole.curve sliced.curve
weights whole >whole.weights
weights sliced >sliced.weights
check_equal "sliced: there are weights of each" "$variants" \
    "$(wc -l <whole.weights)"
check_equal "sliced: and they are equal to the last bit" \
    "$(cut -d' ' -f1 whole.weights)" "$(cut -d' ' -f1 sliced.weights)"
