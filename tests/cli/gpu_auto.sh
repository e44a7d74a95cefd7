#!/usr/bin/env bash
# `device: auto`: what two timings say decides, once for each cohort key, and
# stays; what a trial was begun on it goes on with. The GPU is this machine's
# cpu (throng-worker-cuda-here), and how fast it is stands in a file.
. "$(dirname "$0")/lib.sh"

gpu_is_here
export THRONG_GPUS=h200:9.0:140G THRONG_GPUS_USE=$TMP/use
printf '0 1 1000\n0 joules 5\n' >use
mkdir -p .cache/throng

# What both devices were timed at: seconds an operation, flops a second,
# seconds before the first step; the cpu first.
paces() { # CPU GPU
    {
        printf 'throng-paces 1 %s' "$(nproc)"
        printf ' %s' "$(stat -c %s.%Y bin/throng-worker)" \
            "$(stat -c %s.%Y bin/throng-worker-cuda)" 0 -
        printf '\n%s\n%s\n' "$1" "$2"
    } >".cache/throng/paces-$(uname -n)"
}

awk 'BEGIN { srand(3); for (i = 0; i < 60; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
sed -i '1i x,y,label' xy.csv
cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: '${units}', activation: relu}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: '${lr}'}
batch_size: 16
epochs: 2
END
study() { # NAME UNITS
    cat <<END
name: $1
model: net.yaml
method: grid
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {values: [0.1, 0.01, 0.001, 0.002]}
  units: {values: $2}
END
}
devices() { # of the last attempts of a study, each once
    "$THRONG" show "$1" all --json |
        grep -o '"device":"[a-z]*"' | sort | uniq -c | tr -s ' \n' ' '
}

study fast '[4]' >fast.yaml
paces '1e-3 1e9 0' '1e-9 1e14 0'
run "$THRONG" run fast.yaml
check_status 'a study runs where the GPU is said to be fast' 0
check_contains 'and says what was chosen' "$err" 'device cuda, up to 4 at a time'
check_equal 'each attempt has its device' ' 4 "device":"cuda" ' "$(devices fast)"
run "$THRONG" status fast
check_contains 'status says it, too' "$out" 'device   auto chose cuda, up to 4'
check_contains 'whose gain is bounded by the conductor' "$out" '4 trials should take 1.2ms on the GPU'
check_matches 'and what the GPU did' "$out" '^gpu      the GPU '
run "$THRONG" explain fast 1
check_contains 'so does explain' "$out" 'Its device is cuda.'
check_contains 'with the reason' "$out" 'Auto chose cuda'
run "$THRONG" show fast 1
check_contains 'and show' "$out" 'device cuda'
run "$THRONG" status fast --json
check_contains 'and for programs' "$out" '"device":"auto chose cuda'

study slow '[4]' >slow.yaml
paces '1e-9 1e14 0' '1e-2 1e6 5'
run "$THRONG" run slow.yaml
check_status 'one runs where the GPU is said to be slow' 0
check_equal 'on the cpu' ' 4 "device":"cpu" ' "$(devices slow)"
run "$THRONG" status slow
check_contains 'and why is said' "$out" 'auto chose cpu: 4 trials should take'
check_contains 'with what takes longer than training' "$out" \
    '; it is the conductor, with 0.3ms a trial, that takes so long'

# Who asks for a GPU waits for none where the cpu trains.
sed 's/^epochs:.*/epochs: 100000000/' net.yaml >long.net.yaml
{ study asked '[4]' | sed 's/net.yaml/long.net.yaml/'; echo 'resources: {gpus: 1}'; } >asked.yaml
all_run() { "$THRONG" status asked --json | grep -q '"running":4,'; }
"$THRONG" run asked.yaml >asked.log 2>&1 &
conductor=$!
check 'where the cpu trains, nobody waits for the GPU that is asked for' \
    wait_for 60 all_run
kill -TERM $conductor
wait $conductor
check_contains 'it is the cpu' "$(cat asked.log)" 'device cpu'

sed 's/long.net.yaml/net.yaml/' asked.yaml >named.cpu.yaml
run env THRONG_GPUS= "$THRONG" run named.cpu.yaml --new lacking
check_status 'what needs a GPU does not run where there is none' 1
run env THRONG_GPUS= "$THRONG" check named.cpu.yaml --device cpu
check_status 'on cpus that are named it needs none' 0
check_lacks 'as check says' "$out" gpu,
run env THRONG_GPUS= "$THRONG" run named.cpu.yaml --new lacks_none --device cpu
check_status 'and runs' 0
grep -v resources named.cpu.yaml >lacks.yaml
run env THRONG_GPUS= "$THRONG" check lacks.yaml --device cuda
check_contains 'where a GPU is named and none is there, check says so' "$out" \
    'training is built in: on a GPU, and none is seen here'
check_lacks 'and not how many models it would train' "$out" 'at once here'

# Members share a GPU, however many they ask for: check says what run does.
{ study two '[4]'; echo 'resources: {gpus: 2}'; } >two.yaml
run "$THRONG" check two.yaml
check_status 'check does not refuse what members will share' 0
check_contains 'and says how' "$out" '0.25 gpus each'
run "$THRONG" run two.yaml
check_status 'nor does run' 0

# What no GPU can train is not sent there, however fast that is.
paces '1e-3 1e9 0' '1e-9 1e14 0'
sed "s/^layers:.*/layers: [{reshape: [2, 1]}, {lstm: '\${units}'}, {dense: 2}]/; s/^epochs.*/epochs: 1/" net.yaml >rnn.yaml
study large '[1025]' | sed 's/net.yaml/rnn.yaml/; s/\[0.1, .*\]/[0.1]/' >large.yaml
run "$THRONG" run large.yaml
check_status 'a model that no GPU can train is trained' 0
check_equal 'on the cpu' ' 1 "device":"cpu" ' "$(devices large)"
why='cpu: the device cuda cannot run such a model: a recurrent layer has more than 1,024 units'
check_contains 'status says why' "$("$THRONG" status large)" "auto chose $why"
check_contains 'so does explain' "$("$THRONG" explain large 1)" "Auto chose $why"
run "$THRONG" train rnn.yaml lr=0.1 units=1025
check_contains 'and train' "$err" "throng train: device $why"
run "$THRONG" predict rnn.safetensors --data xy.csv
check_contains 'and predict' "$err" "throng predict: device $why"
paces '1e-9 1e14 0' '1e-2 1e6 5'

# What gives the same numbers names the device, which may be another one now.
check_contains 'its command trains on the same device' \
    "$("$THRONG" show slow 1 --command)" ' --device cpu'
check_contains 'whichever that was' "$("$THRONG" show fast 1 --command)" \
    ' --device cuda'

# What was decided stays, whatever is said since.
paces '1e-3 1e9 0' '1e-9 1e14 0'
sed 's/0.002\]/0.002, 0.003]/' slow.yaml >more.yaml
run "$THRONG" run more.yaml --new more
check_equal 'another study decides anew' ' 5 "device":"cuda" ' "$(devices more)"
paces '1e-9 1e14 0' '1e-2 1e6 5'
"$THRONG" retry more 2 >/dev/null 2>&1
run "$THRONG" run more.yaml --new more
check_lacks 'going on decides nothing again' "$err" 'device cpu'
check_equal 'and keeps to it' '1' \
    "$(devices more | grep -c '"device":"cuda"')"

# Two kinds of models, of which one is worth a GPU.
paces '1e-6 1e8 0' '1e-4 1e13 0'
study kinds '[1, 1024]' >kinds.yaml
run "$THRONG" run kinds.yaml
check_equal 'each kind of model has its own device' \
    ' 4 "device":"cpu" 4 "device":"cuda" ' "$(devices kinds)"
run "$THRONG" status kinds
check_contains 'and both are told' "$out" \
    'cpu for 1 kind of models, cuda for 1 kind of models'
explained() { # what explain says was chosen for each trial, and what it had
    for i in 1 2 3 4 5 6 7 8; do
        "$THRONG" explain kinds $i | sed -n 's/^Auto chose \([a-z]*\)[:, ].*/\1/p'
        "$THRONG" show kinds $i --json | grep -o '"device":"[a-z]*"' | cut -d '"' -f 4
    done | paste - - | sort | uniq -c | tr -s ' \t\n' ' '
}
check_equal 'explain tells what was chosen for the models of the trial' \
    ' 4 cpu cpu 4 cuda cuda ' "$(explained)"
mv xy.csv away.csv
run "$THRONG" explain kinds 1
check_contains 'or of all, where it cannot know which they are' "$out" \
    'Auto chose cpu for 1 kind of models, cuda for 1 kind of models'
mv away.csv xy.csv

# Said in words, it is as it is said.
{ study said '[4]'; echo 'device: cpu'; } >said.yaml
paces '1e-3 1e9 0' '1e-9 1e14 0'
run "$THRONG" run said.yaml
check_equal 'a device that is named is taken' ' 4 "device":"cpu" ' \
    "$(devices said)"
run "$THRONG" status said
check_lacks 'and nothing is chosen' "$out" 'auto chose'

# The command line goes before the study file, and that before the model file.
{ cat net.yaml; echo 'kernels: cpu'; } >kept.net.yaml
study model '[4]' | sed 's/net.yaml/kept.net.yaml/' >model.yaml
run "$THRONG" run model.yaml
check_equal 'a device that the model file names is taken' \
    ' 4 "device":"cpu" ' "$(devices model)"
{ study file '[4]' | sed 's/net.yaml/kept.net.yaml/'; echo 'device: auto'; } >file.yaml
run "$THRONG" run file.yaml
check_equal 'unless the study file says another' ' 4 "device":"cuda" ' \
    "$(devices file)"
run "$THRONG" run said.yaml --new line --device cuda
check_equal 'or the command line' ' 4 "device":"cuda" ' "$(devices line)"
sed -i 's/^kernels:.*/device: cuda/' kept.net.yaml
run "$THRONG" run model.yaml
check_lacks 'another device makes no other study' "$err" 'differs'
check_contains 'and has nothing left to do' "$err" 'nothing was left to do'
run "$THRONG" check model.yaml
check_matches 'check knows it' "$out" '^device   cuda'
run "$THRONG" run said.yaml --device gpu
check_status 'a device on the command line that nobody knows is refused' 2
check_contains 'with those that there are' "$err" 'reference, cuda'
sed -i 's/^device:.*/device: gpu/' kept.net.yaml
run "$THRONG" check model.yaml
check_matches 'one in the model file by its place' "$err" \
    "kept.net.yaml:[0-9]*:9: error: device cannot be 'gpu' .did you mean 'cuda'"
run "$THRONG" train kept.net.yaml lr=0.01 units=4 --device cpu
check_matches 'also when it is trained alone' "$err" \
    'kept.net.yaml:[0-9]*:9: error: device cannot be gpu .did you mean cuda'
sed -i 's/^device:.*/device: cpu/' kept.net.yaml
echo 'kernels: cuda' >>kept.net.yaml
run "$THRONG" train kept.net.yaml lr=0.01 units=4
check_status 'two words for the device that do not agree are refused' 1
check_matches 'by their place' "$err" \
    'kept.net.yaml:[0-9]*:10: error: kernels is cuda, and device is cpu'
sed -i '/^kernels:/d; s/^device:.*/device: cuda/' kept.net.yaml
run "$THRONG" train kept.net.yaml lr=0.01 units=4
check_lacks 'a model file that names one is asked for nothing' "$err" 'it should take'
run "$THRONG" train net.yaml lr=0.01 units=4 --device cuda -o there.safetensors
check 'and its weights know nothing of it' \
    cmp kept.net.safetensors there.safetensors
run "$THRONG" model show kept.net.yaml lr=0.01 units=4
check_status 'and it can be shown' 0

# One model alone: the same two times, of one cpu.
single=(train net.yaml lr=0.01 units=4)
run "$THRONG" "${single[@]}"
check_status 'one model is trained where the GPU is said to be fast' 0
check_contains 'and it is said why' "$err" 'throng train: device cuda: it should take '
on_gpu=$out
run "$THRONG" "${single[@]}" --device cuda
check_equal 'it is the same that is trained there by name' "$on_gpu" "$out"
check_lacks 'of which nothing is said' "$err" 'it should take'
run "$THRONG" "${single[@]}" --device cpu
check_lacks 'and a cpu that is named is taken' "$err" 'it should take'
paces '1e-9 1e14 0' '1e-2 1e6 5'
run "$THRONG" "${single[@]}" --device auto
check_matches 'where the GPU is slow it is the cpu' "$err" \
    'device cpu: it should take .* on the GPU, .* on a cpu'

# Models that answer: of new rows, of their own.
run "$THRONG" predict net.safetensors --data xy.csv
check_matches 'where the GPU is slow the cpu predicts' "$err" \
    'throng predict: device cpu: it should take .* on the GPU, .* on a cpu'
on_cpu=$(cut -f 1-3 <<<"$out")
run "$THRONG" predict net.safetensors --data xy.csv --quiet
check_equal 'of which nothing is said to who wants it quiet' '' "$err"
paces '1e-3 1e9 0' '1e-9 1e14 0'
run "$THRONG" predict net.safetensors --data xy.csv
check_contains 'where it is fast the GPU does' "$err" 'throng predict: device cuda: '
check_equal 'and predicts the same' "$on_cpu" "$(cut -f 1-3 <<<"$out")"
run "$THRONG" predict net.safetensors --data xy.csv --device cpu
check_lacks 'a device that is named is taken' "$err" 'it should take'
run "$THRONG" evaluate net.safetensors
check_contains 'evaluate chooses, too' "$err" 'throng evaluate: device cuda: '
# A GPU whose start takes as long as two passes of the cpu: for one model it is
# not worth it, for four together it is.
{ study kept '[4]'; echo 'keep: all'; } >kept.yaml
run "$THRONG" run kept.yaml
run "$THRONG" ensemble kept best:4 -o four.ensemble
check_status 'four models are one' 0
paces '1 1e14 0' '1e-9 1e14 1e-9'
run "$THRONG" predict net.safetensors --data xy.csv
pass=$(sed -n 's/.*on the GPU, \([0-9]*\)s on a cpu$/\1/p' <<<"$err")
paces '1 1e14 0' "1e-9 1e14 $((2 * pass))"
run "$THRONG" predict net.safetensors --data xy.csv
check_contains 'one model is asked on the cpu' "$err" 'throng predict: device cpu: '
run "$THRONG" predict four.ensemble --data xy.csv
check_contains 'an ensemble on the GPU' "$err" 'throng predict: device cuda: '
paces '1e-3 1e9 0' '1e-9 1e14 0'
printf 'x\n0.1\n0.2\n' >a.csv
printf 'y\n0.1\n0.2\n' >b.csv
run "$THRONG" predict net.safetensors --product a.csv,b.csv --keep all
check_status 'a product of tables is asked for' 0
check_lacks 'on cpus, since no GPU can do it' "$err" 'it should take'
run "$THRONG" predict net.safetensors --data none.csv
check_status 'rows that are not there are not chosen for' 4
check_lacks 'and are missed as ever' "$err" 'it should take'
sed 's/xy.csv/none.csv/' net.yaml >none.yaml
run "$THRONG" train none.yaml lr=0.01 units=4
check_status 'what cannot be read is not chosen for' 1
check_lacks 'and fails as it does' "$err" 'it should take'
paces '1e-3 1e9 0' '1e-9 1e14 0'

# Who says that a study uses no GPU has none, whatever would pay.
{ study barred '[4]'; echo 'resources: {gpus: 0}'; } >barred.yaml
run "$THRONG" check barred.yaml
check_contains 'check says where a study asks for no GPU' "$out" \
    'cpu: the study asks for no GPU'
run "$THRONG" run barred.yaml
check_lacks 'nothing is chosen there' "$err" 'device cuda'
check_equal 'and cpus train' ' 4 "device":"cpu" ' "$(devices barred)"
{ cat barred.yaml; echo 'device: cuda'; } >barred_cuda.yaml
run "$THRONG" run barred_cuda.yaml
check_status 'and a GPU by name is a mistake' 1
check_contains 'with its place' "$err" 'gpus is 0, and device is cuda'

# A study whose trials ask models: of an inference one choice for all shards.
asking() { # NAME LINE...
    printf '%s\n' "name: $1" "${@:2}" >"$1.yaml"
}
asking shards 'predict: {models: four.ensemble, data: xy.csv, shard: 20}'
run "$THRONG" check shards.yaml
check_matches 'check says when it is decided' "$out" '^device +auto: decided when'
run "$THRONG" run shards.yaml
check_status 'shards are asked where the GPU is fast' 0
check_contains 'and it is said where' "$err" 'device cuda: 3 trials should take '
check_equal 'each on the GPU' ' 3 "device":"cuda" ' "$(devices shards)"
check_contains 'status says it' \
    "$("$THRONG" status shards)" 'auto chose cuda: 3 trials should take'
check_contains 'explain, too' "$("$THRONG" explain shards 1)" 'Auto chose cuda: '
paces '1e-9 1e14 0' '1e-2 1e6 5'
"$THRONG" rerun shards 2 >/dev/null 2>&1
run "$THRONG" run shards.yaml
check_lacks 'going on with them decides nothing again' "$err" 'device c'
check_equal 'and keeps to it' ' 4 "device":"cuda" ' "$(devices shards)"
run "$THRONG" run shards.yaml --new slowly
check_equal 'where it is slow cpus are asked' ' 3 "device":"cpu" ' \
    "$(devices slowly)"
check_contains 'and why is said' "$err" 'device cpu: 3 trials should take '
check_equal 'which say the same' "$(cut -d, -f 1-3 .throng/shards/predictions.csv)" \
    "$(cut -d, -f 1-3 .throng/slowly/predictions.csv)"
# Who holds the GPU ends when they are done.
cat >held.yaml <<'END'
command: [sh, -c, 'touch held; until test -e go; do sleep 0.1; done']
method: grid
parameters: {x: {values: [1]}}
resources: {gpus: 1, cpus: 0.1}
END
"$THRONG" run -q held.yaml &
to_end+=($!)
check 'a program has the GPU' wait_for 60 test -e held
asking wanted 'predict: {models: four.ensemble, data: xy.csv, shard: 20}' \
    'resources: {gpus: 1, cpus: 0.1}'
run timeout 60 "$THRONG" run wanted.yaml
check_equal 'shards on cpus wait for none that they asked for' \
    ' 3 "device":"cpu" ' "$(devices wanted)"
study mixed '[1, 1024]' | sed 's/lr: .*/lr: {values: [0.1, 0.01]}/' >mixed.yaml
echo 'resources: {gpus: 1, cpus: 0.1}' >>mixed.yaml
paces '1e-6 1e8 0' '1e-4 1e13 0'
"$THRONG" run -q mixed.yaml &
to_end+=($!)
two_done() { "$THRONG" status mixed --json | grep -q '"done":2'; }
check 'nor do models where others are for the GPU' wait_for 60 two_done
touch go
wait $!
check_equal 'which come later' ' 2 "device":"cpu" 2 "device":"cuda" ' "$(devices mixed)"
paces '1e-9 1e14 0' '1e-2 1e6 5'
run "$THRONG" predict four.ensemble --data xy.csv --study words --shard 20 \
    --device cuda
check_equal 'a device that is named is taken' ' 3 "device":"cuda" ' \
    "$(devices words)"
check_lacks 'and nothing chosen' "$("$THRONG" status words)" 'auto chose'
paces '1e-3 1e9 0' '1e-9 1e14 0'
asking every 'predict: {product: [a.csv, b.csv], models: net.safetensors, keep: all}'
run "$THRONG" run every.yaml
check_status 'a product of tables has its shards' 0
check_equal 'on cpus' ' 1 "device":"cpu" ' "$(devices every)"
for i in 1 2; do
    head -n 3 xy.csv >few.csv
    ((i == 1)) && data=few.csv,xy.csv || data=xy.csv,few.csv
    asking order$i "predict: {models: net.safetensors, data: [$data]}"
    "$THRONG" run order$i.yaml >/dev/null 2>&1
    "$THRONG" status order$i | grep '^device' >order$i
done
check_contains 'a file more is a shard more' "$(cat order1)" '2 trials should take'
check 'which of them comes first does not matter' cmp order1 order2

# Trials that name what they ask: one choice for each kind of models.
asking named 'task: {kind: infer, weights: "${net}", data: xy.csv}' 'method: grid' \
    'parameters: {net: {values: [net.safetensors, there.safetensors]}}'
run "$THRONG" run named.yaml
check_contains 'trials that ask models are asked there, too' "$err" \
    'device cuda: 2 trials should take '
check_equal 'all of them' ' 2 "device":"cuda" ' "$(devices named)"
run "$THRONG" run named.yaml --new unnamed --device cpu
check_equal 'or where the command line says' ' 2 "device":"cpu" ' \
    "$(devices unnamed)"
paces '1e-9 1e14 0' '1e-2 1e6 5'
run "$THRONG" run named.yaml --new later
check_contains 'or where they are answered sooner' "$err" 'device cpu: 2 trials'

# Without the second worker, or with a GPU that is not there.
rm bin/throng-worker-cuda
study alone '[4]' >alone.yaml
run "$THRONG" run alone.yaml
check_status 'without the second worker the cpu trains' 0
check_equal 'all of them' ' 4 "device":"cpu" ' "$(devices alone)"
none='cpu: no GPU can be used here: there is no throng-worker-cuda beside throng-worker'
check_contains 'which is said, with the reason' "$err" "device $none"
check_contains 'also later' "$("$THRONG" status alone)" "auto chose $none"
check_contains 'and of each trial' "$("$THRONG" explain alone 1)" "Auto chose $none"
check_contains 'and foreseen' "$("$THRONG" check alone.yaml)" "device   $none"
run env THRONG_GPUS= "$THRONG" run alone.yaml --new bare
check_lacks 'a machine without a GPU hears nothing of it' "$err" device
run "$THRONG" "${single[@]}"
check_contains 'one model is trained in the same way' "$err" \
    "throng train: device $none"
"$THRONG" rerun fast 2 >/dev/null 2>&1
run "$THRONG" run fast.yaml
check_contains 'what was chosen before is not what is' "$("$THRONG" status fast)" \
    "auto chose $none"
check_contains 'but for trials that were trained by it' \
    "$("$THRONG" explain fast 1)" 'Auto chose cuda'
run "$THRONG" run shards.yaml --new without
check_equal 'and answers' ' 3 "device":"cpu" ' "$(devices without)"
run "$THRONG" run shards.yaml --new never --device cuda
check_status 'without it no shard is asked on a GPU' 3
check_contains 'and the way on is said' "$err" '`device: cpu` does without'
run "$THRONG" check shards.yaml --device cuda
check_matches 'which check has foreseen' "$out" '^device +cuda: there is no'
cp "$here" bin/throng-worker-cuda
touch -d '2001-01-01' bin/throng-worker-cuda # what was timed does not hold
echo 'absent=this machine has no NVIDIA driver' >fault
export THRONG_TEST_GPU=$TMP/fault
study absent '[4]' >absent.yaml
run "$THRONG" run absent.yaml
check_status 'where there is no driver the cpu trains' 0
check_equal 'all of those, too' ' 4 "device":"cpu" ' "$(devices absent)"
check_contains 'the driver is named' "$("$THRONG" status absent)" \
    'auto chose cpu: no GPU can be used here: this machine has no NVIDIA driver'
run "$THRONG" predict net.safetensors --data xy.csv
check_contains 'also where models are asked' "$err" \
    'throng predict: device cpu: no GPU can be used here: this machine has no NVIDIA driver'
mv fault gone
paces '1e-3 1e9 0' '1e-9 1e14 0'
"$THRONG" rerun absent all >/dev/null 2>&1
run "$THRONG" run absent.yaml
check_contains 'when there is one it is decided' "$("$THRONG" status absent)" \
    'auto chose cuda'
mv gone fault
run "$THRONG" run shards.yaml --new nowhere --device cuda
check_contains 'shards that ask for it hear of it' "$err" \
    'this machine has no device cuda: this machine has no NVIDIA driver; the device cpu does without'

# A GPU that hung when it was timed costs nobody else a minute.
rm fault
rm ".cache/throng/paces-$(uname -n)"
worker_says() { # SCRIPT: to each question, which it notes
    printf '#!/bin/sh\necho "$*" >>%s\n%s\n' "$TMP/questions" "$1" >bin/throng-worker-cuda
}
worker_says 'exit 1'
silent() { # SINCE: in seconds of the clock
    {
        printf 'throng-silence 1 %s %s\n' "$(cat /sys/module/nvidia/version 2>/dev/null || echo -)" \
            "$(cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo -)"
        printf 'throng-paces 1 %s' "$(nproc)"
        printf ' %s' "$(stat -c %s.%Y bin/throng-worker)" \
            "$(stat -c %s.%Y bin/throng-worker-cuda)" 0 -
        printf '\n%s\n' "$1"
    } >".cache/throng/paces-$(uname -n)-silence"
}
since=$(($(date +%s) - 7200))
silent $since
study silent '[4]' >silent.yaml
run "$THRONG" run silent.yaml
check_status 'where a GPU hung a while ago the cpu trains' 0
check_equal 'all of them, again' ' 4 "device":"cpu" ' "$(devices silent)"
hung='cpu: no GPU can be used here: throng-worker-cuda did not say within 60 s how fast it is ('
check_contains 'which is said, and since when' "$err" "device $hung$(date -d "@$since" '+%Y-%m-%d %H:%M:%S')"
check_contains 'with what it waits for' "$err" 'asked again a day later'
check_contains 'also later, of a hung one' "$("$THRONG" status silent)" "auto chose $hung"
run "$THRONG" predict net.safetensors --data xy.csv
check_contains 'so it is where models are asked' "$err" "throng predict: device $hung"
check 'and it is not asked' test ! -e questions
worker_says '[ "$1" = --time-device ] || exec echo ok an H200
echo start 0.1; echo 10 1e3 1; echo 10 1e9 2'
silent $since
run "$THRONG" doctor
check_matches 'doctor asks it' "$out" '^ok +auto +the GPU says again how fast it is'
run "$THRONG" doctor
check_lacks 'then nothing is remembered' "$out" ' auto '
run "$THRONG" run silent.yaml --new again
check_contains 'and who trains next chooses' "$err" 'device cpu: 4 trials should take'
