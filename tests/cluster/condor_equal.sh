#!/usr/bin/env bash
# The same study here, on Slurm and on HTCondor: the same points, the same
# results, the same curves, and weights that are equal bit for bit.
# timeout: 900
export CONDOR_TEST_FIRST=1-2 CONDOR_TEST_PACE=0.3
. "$(dirname "$0")/condor/lib.sh"

# A Slurm beside the pool, where one can start.
SLURM=$ROOT/tests/cluster/slurm
end_both() {
    local code=$?
    "$SLURM" down "$TMP/slurm" 2>/dev/null
    (exit "$code")
    end_pool
}
engines="local htcondor"
if reason=$("$SLURM" up "$TMP/slurm" 2>&1); then
    trap end_both EXIT
    . "$TMP/slurm/env"
    engines="local slurm htcondor"
else
    skip "the same on Slurm" "Slurm cannot start: $(tail -n 1 <<<"$reason")"
fi

. "$ROOT/tests/cluster/equal.bash"

# ---- programs -----------------------------------------------------------------

compare random "$program
method: random
run_cap: 24"
compare learning "$program
method: tpe
run_cap: 12
order: batch
batch: 6"
compare asha "$program
method: random
run_cap: 9
order: batch
batch: 9
early_terminate: {type: asha, max_iter: 9}"
compare pbt "$program
method: pbt
run_cap: 8
order: batch
batch: 4
pbt: {population: 4, steps: 3}"

# ---- built-in training -----------------------------------------------------------

mkdir -p models
cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} models
compare trained 'model: models/mlp.yaml
keep: all
seed: 4
method: random
run_cap: 8
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.1}
  units: {values: [16, 32]}
  dropout: {value: 0.1}' weights

# ---- frozen code -------------------------------------------------------------------

mkdir lib && echo 'answer=42' >lib/answer.sh
cat >frozen.sh <<'SH2'
. lib/answer.sh
echo "loss=$answer"
SH2
for engine in local htcondor; do
    cat >"frozen_$engine.yaml" <<YAML
name: frozen_$engine
command: [sh, frozen.sh]
code: copy
method: grid
metric: {name: loss, pattern: 'loss=([0-9]+)'}
parameters: {x: {values: [1, 2]}}
YAML
    run "$THRONG" run "frozen_$engine.yaml" --engine "$engine"
    check_status "frozen: it runs on $engine" 0
    check_equal "frozen: with all of its code on $engine" 2 \
        "$(table "frozen_$engine" | grep -c '"value": 42.0')"
done
