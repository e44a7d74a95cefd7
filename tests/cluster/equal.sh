#!/usr/bin/env bash
# The same study here and on a real Slurm: the same points, the same results.
# Early stopping, populations and stop requests work through files.
# timeout: 900
. "$(dirname "$0")/lib.sh"

engines="local slurm"
. "$ROOT/tests/cluster/equal.bash"

# ---- programs -----------------------------------------------------------------

compare random "$program
method: random
run_cap: 24"
compare learning "$program
method: tpe
run_cap: 24
order: lag
lag: 7"
compare asha "$program
method: random
run_cap: 18
order: lag
lag: 7
early_terminate: {type: asha, max_iter: 9}"
check "asha: some are stopped" grep -q '"state": "stopped"' <<<"$(table asha_slurm)"
compare median "$program
method: random
run_cap: 18
order: lag
lag: 7
early_terminate: {type: median, warmup_steps: 2}"
check "median: some are stopped" grep -q '"state": "stopped"' \
    <<<"$(table median_slurm)"
compare pbt "$program
method: pbt
run_cap: 12
order: batch
batch: 4
pbt: {population: 4, steps: 3}"
check "pbt: some have a parent" grep -q '"parent": [1-9]' \
    <<<"$(table pbt_slurm)"

# ---- built-in training -----------------------------------------------------------

cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} .
training='model: mlp.yaml
keep: all
seed: 4
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.1}
  units: {values: [16, 32]}
  dropout: {value: 0.1}'
compare trained "$training
method: random
run_cap: 12" weights
compare trained_asha "$training
method: random
run_cap: 12
order: lag
lag: 5
early_terminate: {type: asha, max_iter: 8, min_iter: 2}" weights
compare trained_pbt "$(sed 's/units: .*/units: {value: 16}/' <<<"$training")
method: pbt
run_cap: 12
order: batch
batch: 4
pbt: {population: 4, steps: 2}" weights

# ---- stop requests -----------------------------------------------------------------

cat >forever.sh <<'SH2'
n=0
until [ -e "$THRONG_STOP" ]; do
    n=$((n + 1))
    throng report step=$n "loss=$n"
    sleep 0.2
done
echo heard >"$THRONG_OUTPUT/heard"
SH2
cat >asked.yaml <<'YAML'
command: [sh, forever.sh]
metric: {name: loss}
method: grid
keep: all
parameters: {x: {values: [1, 2, 3]}}
YAML
"$THRONG" run asked.yaml --engine slurm >asked.out 2>&1 &
conductor=$!
all_report() {
    [ "$("$THRONG" export asked --history | cut -d, -f1 | sort -u | grep -c '[0-9]')" = 3 ]
}
check "asked: all three report" wait_for 60 all_report
run "$THRONG" stop asked 2
check_status "asked: one is asked to stop" 0
is_stopped() { # TRIAL
    table asked | grep '"id": '"$1"',' | grep -q '"state": "stopped"'
}
check "asked: it is stopped while the others run" wait_for 30 is_stopped 2
check_equal "asked: and the others are not" 1 \
    "$(table asked | grep -c '"state": "stopped"')"
run "$THRONG" stop asked 1,3
wait "$conductor"
check_equal "asked: the study ends" 0 $?
check_equal "asked: all have heard it" 3 \
    "$(find .throng/asked -name heard | wc -l)"
