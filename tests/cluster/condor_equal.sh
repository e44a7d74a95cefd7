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

# What a study is, wherever it ran: all but times and numbers of attempts.
table() { # STUDY
    "$THRONG" export "$1" --jsonl | python3 -c '
import json, sys
for line in sys.stdin:
    t = json.loads(line)
    kept = ("id", "state", "value", "params", "budget", "parent", "metrics")
    print(json.dumps({k: t.get(k) for k in kept}, sort_keys=True))'
}

curves() { # STUDY
    "$THRONG" export "$1" --history | cut -d, -f1,2,4,5 | sort
}

# By the number of the trial: folders have the attempt in their names.
weights() { # STUDY
    (cd ".throng/$1/trials" && find . -name weights.safetensors |
        LC_ALL=C sort | while read -r file; do
        number=$(cut -d/ -f3 <<<"$file")
        echo "${number%%.*} $(sha256sum <"$file")"
    done)
}

compare() { # NAME YAML [weights]
    local engine
    for engine in $engines; do
        printf 'name: %s_%s\n%s\n' "$1" "$engine" "$2" >"$1_$engine.yaml"
        run "$THRONG" run "$1_$engine.yaml" --engine "$engine"
        check_status "$1: it runs on $engine" 0
        check_equal "$1: the same trials and results on $engine" \
            "$(table "$1_local")" "$(table "$1_$engine")"
        check_equal "$1: the same curves on $engine" "$(curves "$1_local")" \
            "$(curves "$1_$engine")"
        [ -z "${3:-}" ] && continue
        check_equal "$1: the same weights on $engine, bit for bit" \
            "$(weights "$1_local")" "$(weights "$1_$engine")"
    done
    check "$1: it has trials" test -n "$(table "$1_local")"
    [ -z "${3:-}" ] || check "$1: there are weights" \
        test -n "$(weights "$1_local")"
}

# ---- programs -----------------------------------------------------------------

# Trains from its checkpoint to its budget.
cat >train.sh <<'SH2'
file=$THRONG_CHECKPOINT/steps
n=$(cat "$file" 2>/dev/null | wc -l)
while [ "$n" -lt "${THRONG_BUDGET:-9}" ]; do
    n=$((n + 1))
    echo "trial $THRONG_TRIAL" >>"$file"
    throng report step=$n "loss=$(awk -v a="$1" -v s="$THRONG_SEED" -v n=$n \
        'BEGIN { srand(s); printf "%.6f", a + rand() / 100 + 1 / n }')" || break
done
SH2
program='command: [sh, train.sh, "{a}"]
metric: {name: loss}
parameters: {a: {min: 0.0, max: 1.0}}
seed: 5'

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
