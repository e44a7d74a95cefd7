# The verb predict as a study whose shards are tasks of Slurm's jobs: the same
# table as on this machine, also when its conductor is killed.
# timeout: 300
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3); print "a,b,y"
    for (i = 0; i < 120; i++) { x = rand(); y = rand(); print x "," y "," x * y } }' >rows.csv
awk 'BEGIN { srand(4); print "a,b"
    for (i = 0; i < 900; i++) print rand() "," rand() }' >new.csv
cat >net.yaml <<'MODEL'
layers: [{dense: 6, activation: tanh}, {dropout: 0.2}, {dense: 1}]
loss: mse
epochs: 1
data: {file: rows.csv, label: y, validation: 0.2}
MODEL
"$THRONG" train net.yaml >/dev/null 2>&1
ask() { # NAME OPTION...
    local name=$1
    shift
    "$THRONG" predict net.safetensors --data new.csv --study "$name" --samples 5 \
        --shard 100 -o "$name.csv" "$@"
}
run ask here
check_status "on this machine" 0
run ask there --engine slurm
check_status "and on Slurm" 0
check "the table is the same" cmp here.csv there.csv
check_equal "shards were tasks of jobs" 9 \
    "$("$THRONG" inferences there --json | grep -o '"done":[0-9]*' | head -n 1 | cut -d: -f2)"

ask cut --engine slurm >/dev/null 2>&1 &
conductor=$!
wait_for 60 sh -c 'test -e cut.csv || squeue -h | grep -q .' # whichever is seen
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
run ask cut --engine slurm
check_status "the same words collect what the jobs did" 0
check "to the same table" cmp here.csv cut.csv
check "no job is left" wait_for 30 none_left
