#!/usr/bin/env bash
# A greedy ensemble with samples over very many rows, whose conductor, worker
# and trainers are killed at random moments: the same tables, no shard twice.
# ROWS, MEMBERS, SAMPLES, KILLS and SEED say how much of it, SHARD how large a
# shard is. Unsaid it takes two cores about five minutes. Shards are short beside
# the time between kills: one that is lost alone three times has failed, since
# it may be the cause (study/blame.c).
# timeout: 7200
rows=${ROWS:-1000000} members=${MEMBERS:-10} samples=${SAMPLES:-30}
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$root" && cd "${THRONG_BUILD:-build}" && pwd) || exit 1
folder=$(mktemp -d "${TMPDIR:-/tmp}/throng-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
export THRONG_RUNTIME_DIR=$folder/.run XDG_CACHE_HOME=$folder/.cache
mkdir "$folder/whole" "$folder/killed"
cd "$folder/whole" || exit 1

# Rows as an array of floats, without a library.
python3 - "$rows" <<'MAKE' || exit 1
import array, random, sys

def npy(name, rows, columns, made):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, columns)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        for _ in range(rows):
            made(columns).tofile(f)

chance = random.Random(5)
def row(columns):
    numbers = array.array("H")
    numbers.frombytes(chance.randbytes(2 * columns))
    return array.array("f", [x / 65536 for x in numbers])
npy("many.npy", int(sys.argv[1]), 200, row)
with open("rows.csv", "w") as f:
    f.write(",".join("c%d" % i for i in range(200)) + ",y\n")
    for _ in range(600):
        numbers = row(200)
        y = sum(numbers[:10]) + 0.1 * chance.random()
        f.write(",".join("%.5f" % x for x in numbers) + ",%.5f\n" % y)
MAKE
cat >net.yaml <<'MODEL'
layers: [{dense: 16, activation: relu}, {dropout: 0.1}, {dense: 1}]
loss: mse
optimizer: {name: adam, lr: 0.01}
epochs: 5
data: {file: rows.csv, label: y, scale: std, validation: 0.3}
MODEL
cat >search.yaml <<STUDY
model: net.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {again: {min: 1, max: $((3 * members))}}
STUDY
cat >inference.yaml <<STUDY
predict:
  models: committee.ensemble
  data: many.npy
  samples: $samples
  shard: ${SHARD:-1s}
  output: out
  keep:
    all: true
    top: {by: mean, n: 5000}
    also: {by: sd, n: 5000, where: "mean > 0"}
    histogram: {of: [mean, sd], bins: [40, 20], from: [0, 0], to: [10, 1]}
STUDY
"$build/throng" run -q search.yaml || exit 1
# It chooses with replacement: so many rounds until so many models are in it.
for rounds in $(seq "$members" $((20 * members))); do
    "$build/throng" ensemble search all --greedy "$rounds" --bundle \
        -o committee.ensemble >members 2>said || exit 1
    chosen=$(sed 1d members | wc -l) # without the names of columns
    [ "$chosen" -ge "$members" ] && break
done
echo "# $(tail -n 1 said): $chosen members × $samples samples × $rows rows of 200 columns"
ln many.npy committee.ensemble inference.yaml ../killed/
cd "$root" || exit 1
python3 tests/cli/predict_kills.py "$build/throng" "$folder" inference "${KILLS:-20}" "${SEED:-2}" all
