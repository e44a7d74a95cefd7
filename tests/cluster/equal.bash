# equal.bash - the same study at several places: the same points, results,
# curves and weights. $engines lists the places, `local` first.

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

# The same file at each place, under names of its own.
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

# ---- a program and its space ----------------------------------------------------

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
