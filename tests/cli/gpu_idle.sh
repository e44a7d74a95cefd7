#!/usr/bin/env bash
# Why a GPU is idle while a program of the person's own has it. The GPUs are
# described ones; a file says what they do.
# thorough: programs are looked at for seconds
# alone: a look that comes seconds late sees less
. "$(dirname "$0")/lib.sh"

export THRONG_GPUS=a100:8.0:40G THRONG_GPUS_USE=$TMP/on-gpus
gpu() { # percent joules bytes: what the GPU says from now on
    printf '0 busy %s\n0 joules %s\n0 4194304 %s\n' "$@" >"$THRONG_GPUS_USE.new"
    mv "$THRONG_GPUS_USE.new" "$THRONG_GPUS_USE"
}
study() { # name percent script
    printf '%s\n' "$3" >"$1.sh"
    printf '%s\n' "name: $1" "command: [bash, $1.sh]" 'method: grid' \
        'resources: {gpus: 1}' 'parameters: {i: {values: [1]}}' >"$1.yaml"
    gpu "$2" 1000 1000000000
}
of() { # study key: of its only attempt
    "$THRONG" show "$1" 1 --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["trials"][0]["attempts"][0][sys.argv[1]])' "$2"
}
export -f gpu

# ---- one that waits for what its cpus prepare -------------------------------------
study prepares 29 'end=$((SECONDS + 4)); while [ $SECONDS -lt $end ]; do :; done
gpu 29 1600 5000000000
end=$((SECONDS + 4)); while [ $SECONDS -lt $end ]; do :; done'
run "$THRONG" run prepares.yaml
check_status "a program runs on a GPU" 0
seen=$(of prepares gpu_seen_seconds)
check_matches "its GPU was looked at" "$seen" '^[1-9]'
check_matches "and was busy as the driver said" \
    "$(python3 -c "print(round($(of prepares gpu_busy_seconds) / $seen, 2))")" '^0\.29$'
check_matches "what it took of its memory is known" "$(of prepares gpu_bytes)" '^4000000000'
check_matches "and of its energy, shared out by time" "$(of prepares joules)" '^600(\.|$)'
run "$THRONG" explain prepares 1
check_matches "explain says how busy it is" "$out" 'The GPU is busy 29 % of the time'
run "$THRONG" status prepares
check_matches "and so does status" "$out" 'GPU is busy 29 % of the time'
run "$THRONG" show prepares 1
check_contains "that energy goes by time is said" "$out" 'J of a GPU, by time'

# ---- one that keeps it busy ---------------------------------------------------------
study busy 97 'sleep 3'
run "$THRONG" run busy.yaml
run "$THRONG" explain busy 1
check_matches "one that keeps it busy hears no advice" "$out" \
    'The GPU is busy 97 % of the time\.'

# ---- one that does nothing -----------------------------------------------------------
study waits 5 'sleep 3'
run "$THRONG" run waits.yaml
run "$THRONG" explain waits 1
check_contains "for one that leaves both idle several on one GPU are advised" "$out" \
    'several trials on one GPU'

# ---- one that still runs ---------------------------------------------------------------
study runs 5 'while [ ! -e end ]; do sleep 0.05; done'
"$THRONG" run runs.yaml >/dev/null 2>&1 &
for _ in $(seq 600); do
    out=$("$THRONG" explain runs 1 2>/dev/null || true)
    case $out in *"The GPU is busy 5 %"*) break ;; esac
    sleep 0.1
done
check_contains "of one that runs explain says it, too" "$out" 'Trial 1 is running'
check_contains "with what may help" "$out" 'The GPU is busy 5 % of the time'
run "$THRONG" status runs
check_contains "and so does status" "$out" 'GPU is busy 5 % of the time'
run "$THRONG" show runs 1
check_matches "show says how long until then" "$out" 'running  *[0-9].*so far, cpu'
touch end
wait
check_matches "its end says it anew" "$(of runs gpu_seen_seconds)" '^[1-9]'

# ---- a driver that does not say --------------------------------------------------------
study silent 0 'sleep 2'
rm "$THRONG_GPUS_USE"
run "$THRONG" run silent.yaml
check_equal "nobody knows what a silent driver does" \
    "$(of silent gpu_seen_seconds) $(of silent joules)" "None None"
run "$THRONG" explain silent 1
check_lacks "and nothing is said of it" "$out" "The GPU"

# ---- a driver that hangs -------------------------------------------------------------------
study hangs 0 'sleep 1'
rm "$THRONG_GPUS_USE"
mkfifo "$THRONG_GPUS_USE" # nobody writes it
run timeout 60 "$THRONG" run hangs.yaml
check_status "a driver that hangs holds up no study" 0
check_contains "whose trials end" "$err" "1/1 done"
check_equal "and nobody knows what its GPU did" \
    "$(of hangs gpu_seen_seconds) $(of hangs joules)" "None None"
rm "$THRONG_GPUS_USE"

# ---- built-in training that still runs ----------------------------------------------------
# The GPU is this machine's cpu.
here=$THRONG_BUILD/src/worker/throng-worker-cuda-here
if [[ -x $here ]]; then
    mkdir bin
    cp "$THRONG" "$WORKER" bin/
    cp -p "$here" bin/throng-worker-cuda
    awk 'BEGIN { srand(1); print "x,label"; for (i = 0; i < 64; i++) print rand() "," i % 2 }' >xy.csv
    cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: 4, activation: relu}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: '${lr}'}
batch_size: 16
epochs: 100000000
END
    printf '%s\n' 'name: trains' 'model: net.yaml' 'device: cuda' 'method: grid' \
        'metric: {name: val_loss, goal: minimize}' \
        'parameters: {lr: {values: [0.01]}}' >trains.yaml
    bin/throng run trains.yaml >trains.log 2>&1 &
    conductor=$!
    for _ in $(seq 600); do
        out=$(bin/throng explain trains 1 2>/dev/null || true)
        case $out in *"The GPU "*" % of the time"*) break ;; esac
        sleep 0.1
    done
    check_matches "explain says how the time of a training goes that runs" "$out" \
        'The GPU (is given work|waits for input|is held up|has nothing to train) [0-9]+ % of the time'
    run bin/throng status trains
    check_matches "and status" "$out" 'the GPU .* % of the time'
    run bin/throng kill trains 1
    wait $conductor
fi
