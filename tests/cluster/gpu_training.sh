# Built-in training in jobs of a real Slurm: `auto` is the device cuda where the
# study asks for GPUs, a job has one GPU and many members on it, and what was
# chosen is told. The GPUs are pretended ones, whose kernels run on the cpu
# (throng-worker-cuda-here).
# timeout: 300
. "$(dirname "$0")/lib.sh"

gpu_worker_is_here

awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 40; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: 3}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: '${lr}'}
batch_size: 16
epochs: 3
END
study() { # NAME MORE…
    printf '%s\n' "name: $1" 'model: net.yaml' 'method: random' 'run_cap: 12' \
        'metric: {name: val_loss, goal: minimize}' \
        'parameters: {lr: {min: 0.001, max: 0.1}}' "${@:2}" >"$1.yaml"
    run "$THRONG" run "$1.yaml" --engine slurm
}
devices() { # of the last attempts of a study, each once
    "$THRONG" show "$1" all --json |
        grep -o '"device":"[a-z]*"' | sort | uniq -c | tr -s ' \n' ' '
}
asks() { grep -h -- '--gres' ".throng/$1"/jobs/*/job.sh | sort | uniq -c | tr -s ' '; }

study plain
check_status 'without a word of GPUs a study runs' 0
check_equal 'on cpus' ' 12 "device":"cpu" ' "$(devices plain)"
check_contains 'status says why' "$("$THRONG" status plain)" \
    'auto chose cpu: jobs ask for no GPU'
check_equal 'jobs ask for none' '' "$(asks plain)"

study without 'resources: {gpus: 1}'
check_contains 'who asks for GPUs without the program for them hears so' \
    "$("$THRONG" status without)" 'there is no throng-worker-cuda beside'
check_equal 'and is trained on cpus' ' 12 "device":"cpu" ' "$(devices without)"

cp "$here" bin/throng-worker-cuda
study gpus 'resources: {gpus: 1}'
check_status 'a study that asks for GPUs runs' 0
check_equal 'there' ' 12 "device":"cuda" ' "$(devices gpus)"
check_contains 'status says why' "$("$THRONG" status gpus)" \
    'auto chose cuda, up to 64 at a time: jobs ask for GPUs'
check_contains 'explain, too' "$("$THRONG" explain gpus 1)" 'Auto chose cuda'
check_equal 'all of them share the GPU of one job' ' 1 #SBATCH --gres=gpu:1' \
    "$(asks gpus)"
run "$THRONG" check gpus.yaml --engine slurm
check_contains 'and so does check, before' "$out" \
    'device   auto chooses cuda, up to 64 at a time: jobs ask for GPUs'

study named 'device: cuda'
check_status 'the device cuda that is named asks for a GPU by itself' 0
check_equal 'and has it' ' 12 "device":"cuda" ' "$(devices named)"
check_equal 'in one job' ' 1 #SBATCH --gres=gpu:1' "$(asks named)"

# Models that are asked go the same way: a few shards share the GPU of a job.
"$THRONG" train net.yaml lr=0.01 --device cpu >/dev/null 2>&1
ask() { # NAME MORE…
    printf '%s\n' "name: $1" 'predict: {models: net.safetensors, data: xy.csv, shard: 10}' \
        "${@:2}" >"$1.yaml"
    run "$THRONG" run "$1.yaml" --engine slurm
}
ask asked
check_status 'without a word of GPUs shards are asked' 0
check_equal 'on cpus' ' 4 "device":"cpu" ' "$(devices asked)"
check_equal 'in jobs that ask for none' '' "$(asks asked)"
ask asked_gpus 'resources: {gpus: 1}'
check_status 'shards that ask for GPUs are asked' 0
check_equal 'there' ' 4 "device":"cuda" ' "$(devices asked_gpus)"
check_contains 'status says why' "$("$THRONG" status asked_gpus)" \
    'auto chose cuda, up to 4 at a time: jobs ask for GPUs'
check_equal 'all of them share the GPU of one job' ' 1 #SBATCH --gres=gpu:1' \
    "$(asks asked_gpus)"
run "$THRONG" check asked_gpus.yaml --engine slurm
check_contains 'and so does check, before' "$out" \
    'device   auto chooses cuda, up to 4 at a time: jobs ask for GPUs'
ask asked_there 'device: cuda'
check_equal 'and so does the device that is named' ' 4 "device":"cuda" ' \
    "$(devices asked_there)"
check_equal 'without another word' ' 1 #SBATCH --gres=gpu:1' "$(asks asked_there)"
cut -d, -f 1 xy.csv >x.csv
cut -d, -f 2 xy.csv >y.csv
printf '%s\n' 'name: product' 'resources: {gpus: 1}' \
    'predict: {models: net.safetensors, product: [x.csv, y.csv], keep: all}' >product.yaml
run "$THRONG" check product.yaml --engine slurm
check_contains 'what no GPU can do is asked on cpus' "$out" \
    'auto chooses cpu: jobs ask for GPUs, but all combinations of tables are asked'

# What was begun on a GPU, by a command line that named it, goes on where jobs
# ask for none. It is looked at and ended: nothing has come to the end of so many
# epochs before.
sed -i 's/^epochs:.*/epochs: 100000000/' net.yaml
printf '%s\n' 'name: down' 'model: net.yaml' 'method: random' 'run_cap: 1' \
    'metric: {name: val_loss, goal: minimize}' \
    'parameters: {lr: {min: 0.001, max: 0.1}}' >down.yaml
was_on() { # DEVICES of its attempts
    [ "$("$THRONG" show down 1 --json 2>/dev/null | grep -o '"device":"[a-z]*"' |
        cut -d'"' -f4 | tr '\n' ' ')" = "$1" ]
}
reported() { "$THRONG" export down --history 2>/dev/null | grep -q '^1,'; }
"$THRONG" run down.yaml --engine slurm --device cuda >down.log 2>&1 &
conductor=$!
check 'a model is trained on the GPU of a job' wait_for 60 reported
kill -INT $conductor # its job stays
wait $conductor
scancel --user="$(id -un)"
"$THRONG" run down.yaml --engine slurm >down.log 2>&1 &
conductor=$!
check 'in jobs that ask for no GPU it goes on on a cpu' wait_for 90 was_on 'cuda cpu '
check 'and this is said' wait_for 60 grep -q \
    'what was begun on the device cuda goes on on the device cpu' down.log
"$THRONG" kill down 1 >/dev/null 2>&1
wait $conductor
