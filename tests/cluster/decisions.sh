#!/usr/bin/env bash
# Trainings on a real Slurm that wait for a decision, of whoever conducts the
# study by then.
# timeout: 600
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} .
study() { # NAME EARLY_TERMINATE
    cat >"$1.yaml" <<END
model: mlp.yaml
method: random
run_cap: 8
seed: 4
metric: {name: val_loss, goal: minimize}
early_terminate: $2
parameters:
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.1}
  units: {value: 16}
  dropout: {value: 0.1}
END
}

reports_come() { "$THRONG" export "$1" --history 2>/dev/null | grep -q val_loss; }

# The rule's tables are in memory for the one, with each trial for the other.
study median '{type: median, warmup_steps: 2}'
study patience '{type: patience, patience: 3}'
for name in median patience; do
    "$THRONG" run "$name.yaml" --engine slurm >out 2>&1 &
    pid=$!
    check "$name: trainings report" wait_for 120 reports_come "$name"
    kill -9 $pid
    wait $pid 2>/dev/null
    run timeout 240 "$THRONG" run "$name.yaml" --engine slurm
    check_status "$name: the next run has them go on, to the end" 0
    check_contains "$name: all of them" "$err" "8/8 done"
    check "$name: no job is left" wait_for 60 none_left
done
