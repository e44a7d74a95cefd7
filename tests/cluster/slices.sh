#!/usr/bin/env bash
# Work that is cut into slices by time limits and by others' jobs ends with the
# same result as work that is not: programs that checkpoint, and training.
# timeout: 1200
. "$(dirname "$0")/lib.sh"

curve() { # STUDY: every point, without its time
    "$THRONG" export "$1" --history | cut -d, -f1,2,4,5 | sort
}

weights() { # STUDY
    (cd ".throng/$1/trials" && find . -name weights.safetensors |
        LC_ALL=C sort | xargs sha256sum)
}

ask() { # STUDY SQL
    sqlite3 -readonly ".throng/$1/study.db" "$2" 2>/dev/null
}

# The fewest attempts that any trial of the study began.
slices() { # STUDY
    ask "$1" 'select min(n) from (select count(*) as n from attempts
        where outcome != 12 group by trial)'
}

failures() { # STUDY: attempts that ended in no way that slices end in
    ask "$1" 'select count(*) from attempts where outcome not in (1, 9, 12, 13)'
}

# Adds up, a step every so often, and saves after each.
cat >count.sh <<'SH2'
state=$THRONG_CHECKPOINT/state n=0 sum=0
if [ -s "$state" ]; then read -r n sum <"$state"; fi
while [ "$n" -lt "$2" ]; do
    sleep "$3"
    n=$((n + 1)) sum=$(((sum * 31 + $1 * (n + 1)) % 1000003))
    # Said before it is saved: who is ended between the two says it again.
    echo "::throng step=$n loss=$sum"
    echo "$n $sum" >"$state.next" && mv "$state.next" "$state"
    if [ -e "$THRONG_STOP" ] && [ "$n" -lt "$2" ]; then exit 85; fi
done
SH2

program() { # NAME STEPS SECONDS SLURM
    cat >"$1.yaml" <<YAML
command: [sh, count.sh, "{x}", "$2", "$3"]
method: grid
metric: {name: loss}
grace: 2s
retries: 0
parameters: {x: {values: [3, 7]}}
slurm: $4
YAML
}

# ---- out of time, again and again ------------------------------------------------

program timed 400 0.4 \
    '{time: 1m, lead: 10, look: 2, sbatch: ["--nodelist=t3"]}'
"$THRONG" run timed.yaml --engine slurm >timed.out 2>&1 &
timed=$!

# ---- displaced, again and again ----------------------------------------------------

# A job of another partition takes all of the node where this study runs.
displace() { # STUDY
    local node
    node=$(squeue -h -t R -n "$(squeue -h -o %j | grep "throng-$1-" | sort -u |
        tr '\n' ',')" -o %N | sort -u | head -n 1)
    [ -n "$node" ] && sbatch --wait -p main -w "$node" --exclusive \
        -o /dev/null --wrap true >/dev/null 2>&1
}

attempt_now() { # STUDY: of trial 1, when it runs
    ask "$1" 'select number from attempts where trial = 1 and outcome = 0 and
        pid > 0'
}

# True when the attempt of trial 1 that runs is another than the last, and has
# got somewhere.
goes_on() { # STUDY LAST GOT
    local now
    now=$(attempt_now "$1") && [ -n "$now" ] && [ "$now" != "$2" ] && "$3" "$1"
}

displace_often() { # STUDY TIMES GOT
    local last=0 i
    for ((i = 0; i < $2; i++)); do
        wait_for 60 goes_on "$1" "$last" "$3" || return 1
        last=$(attempt_now "$1")
        displace "$1" || return 1
    done
}

points_are_new() { # STUDY: more than there were, by two steps
    local now
    now=$(ask "$1" 'select coalesce(sum(metric_points), 0) from attempts
        where trial = 1')
    local heard
    heard=$("$THRONG" export "$1" --history | grep -c '^1,')
    [ "$heard" -ge $((now + 2)) ]
}

program displaced 60 0.5 '{partition: low, look: 2, exclude: t3}'
"$THRONG" run displaced.yaml --engine slurm >displaced.out 2>&1 &
conductor=$!
check "displaced: five times" displace_often displaced 5 points_are_new
wait "$conductor"
check_equal "displaced: it ends well" 0 $?
check "displaced: in $(slices displaced) slices" \
    test "$(slices displaced)" -ge 6
check_equal "displaced: nothing failed" 0 "$(failures displaced)"

# ---- training, displaced ---------------------------------------------------------------

zcat "$ROOT/examples/digits/digits.csv.gz" | awk '{ line[NR] = $0 }
    END { for (i = 0; i < 30000; i++) print line[i % NR + 1] }' >digits.csv
cat >model.yaml <<'MODEL'
input: 64
layers: [{dense: 512, activation: relu}, {dropout: 0.1}, {dense: 10}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: "${lr}"}
batch_size: 4
epochs: 60
data: {file: digits.csv, scale: maxabs}
MODEL
training() { # NAME
    cat >"$1.yaml" <<'YAML'
model: model.yaml
method: grid
metric: {name: loss, goal: minimize}
seed: 3
parameters: {lr: {values: [0.001]}}
keep: all
slurm: {partition: low, look: 2, exclude: t3}
YAML
}
has_worked() { # STUDY: for half a second of CPU time
    local pid ticks
    pid=$(ask "$1" 'select pid from attempts where trial = 1 and outcome = 0')
    ticks=$(sed 's/.*) //' "/proc/$pid/stat" | cut -d' ' -f12) &&
        [ "$ticks" -ge 50 ]
}

training trained
"$THRONG" run trained.yaml --engine slurm >trained.out 2>&1 &
conductor=$!
check "trained: five times" displace_often trained 5 has_worked
wait "$conductor"
check_equal "trained: it ends well" 0 $?
check "trained: in $(slices trained) slices" test "$(slices trained)" -ge 6
check_equal "trained: nothing failed" 0 "$(failures trained)"

training whole
run "$THRONG" run whole.yaml --engine local
check_status "trained: it runs undisturbed" 0
check_equal "trained: the same curve" "$(curve whole)" "$(curve trained)"
check_equal "trained: the same weights, bit for bit" "$(weights whole)" \
    "$(weights trained)"

# ---- both programs, undisturbed ----------------------------------------------------------

program quick 60 0 '{}'
run "$THRONG" run quick.yaml --engine local
check_equal "displaced: the same curve as undisturbed" "$(curve quick)" \
    "$(curve displaced)"
wait "$timed"
check_equal "timed: it ends well" 0 $?
check "timed: in $(slices timed) slices" test "$(slices timed)" -ge 5
check_equal "timed: nothing failed" 0 "$(failures timed)"
program at_once 400 0 '{}'
run "$THRONG" run at_once.yaml --engine local
check_equal "timed: the same curve as undisturbed" "$(curve at_once)" \
    "$(curve timed)"
check "no job is left" wait_for 20 none_left
