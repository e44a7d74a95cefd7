#!/usr/bin/env bash
# Weights on data: evaluate and predict.
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} .
run "$THRONG" train mlp.yaml lr=0.01 units=32 dropout=0.1
last=$(tail -n 1 .out)
run "$THRONG" evaluate mlp.safetensors
check_status "weights are judged" 0
check_equal "as they were in their last epoch" \
    "$(printf 'loss\t%s\naccuracy\t%s' "$(cut -f3 <<<"$last")" "$(cut -f4 <<<"$last")")" \
    "$(head -n 2 .out)"
check_equal "and the classes add up to the rows" "10 359" \
    "$(awk -F'\t' 'NR > 4 { n++; for (i = 2; i <= NF; i++) all += $i } END { print n, all }' .out)"
check_contains "it says which rows" "$err" "359 validation rows"
run "$THRONG" predict mlp.safetensors
check_status "rows are predicted" 0
check_equal "each of them" 360 "$(wc -l <.out)"
check_equal "as often right as the accuracy says" "$(cut -f4 <<<"$last")" \
    "$(awk -F'\t' 'NR > 1 { n++; right += $2 == $3 } END { printf "%.6g", right / n }' .out)"
check "probabilities add up to 1" awk -F'\t' 'NR > 1 {
    s = 0; for (i = 4; i <= NF; i++) s += $i
    if (s < 0.9999 || s > 1.0001 || NF != 13) exit 1 }' .out

# Rows that it has not seen, of which the digits 7 to 9 are missing: scaling and
# classes are those of the training rows, which nobody needs any more.
zcat digits.csv.gz | awk -F, '$65 < 7' | head -n 40 >new.csv
mv digits.csv.gz hidden.gz
run "$THRONG" predict mlp.safetensors --data new.csv --csv
check_status "rows of another file are predicted" 0
check_equal "all of them, with all classes" "41 row,label,predicted,p_0,p_1,p_2,p_3,p_4,p_5,p_6,p_7,p_8,p_9" \
    "$(wc -l <.out) $(head -n 1 .out)"
check_equal "in their order" "$(cut -d, -f65 new.csv)" \
    "$(tail -n +2 .out | cut -d, -f2)"
check "most of them rightly" awk -F, 'NR > 1 { right += $2 == $3 }
    END { exit right < 36 }' .out
run "$THRONG" evaluate mlp.safetensors --data new.csv
check_contains "they are judged" "$err" "40 new rows"
check_matches "with the accuracy of the predictions" "$out" '^accuracy	(0\.9|1)'
run "$THRONG" evaluate mlp.safetensors --data new.csv --json
check_equal "a program gets the same" "throng.evaluate/1 40 40 True" \
    "$(python3 -c 'import json, sys
v = json.load(sys.stdin)
(head,) = v["confusion"]
right = sum(head["counts"][i][i] for i in range(10))
print(v["schema"], v["rows"], sum(map(sum, head["counts"])),
      abs(right / 40 - v["metrics"]["accuracy"]) < 1e-9)' <.out)"
"$THRONG" predict mlp.safetensors --data new.csv --csv | cut -d, -f1,3- >labelled
cut -d, -f1-64 new.csv >bare.csv
run "$THRONG" predict mlp.safetensors --data bare.csv --csv
check_status "rows without labels are predicted" 0
check_equal "as they are with them" "$(cat labelled)" "$out"
run "$THRONG" evaluate mlp.safetensors --data bare.csv
check_status "but cannot be judged" 1
check_contains "as it says" "$err" "the rows have no labels"
cut -d, -f1-60 new.csv >narrow.csv
run "$THRONG" predict mlp.safetensors --data narrow.csv
check_contains "rows of another width are refused" "$err" \
    "rows of 60 columns; the model was trained on 65, 64 without labels"
mv hidden.gz digits.csv.gz

# Words as classes, in quotes where they must be.
{
    echo 'x,y,kind'
    for i in $(seq 30); do
        echo "$i,1,\"low, or so\""
        echo "$((i + 100)),0,high"
    done
} >words.csv
cat >words.yaml <<'MODEL'
layers: [{dense: 8, activation: relu}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: 0.05}
epochs: 40
metrics: [accuracy]
data: {file: words.csv, label: kind, scale: std, test: 0.2}
MODEL
run "$THRONG" train words.yaml
check_status "a model of words is trained" 0
run "$THRONG" predict words.safetensors --csv
check_matches "classes have their names" "$out" '^[0-9]+,high,high,'
check_matches "quoted where a comma is in them" "$out" '^[0-9]+,"low, or so","low, or so",'
check_contains "the model's own test rows are taken" "$err" "12 test rows"

# Another table: columns in another order, a label that is no class.
printf 'kind,y,x\nhigh,0,120\n"low, or so",1,7\n' >other.csv
run "$THRONG" evaluate words.safetensors --data other.csv
check_equal "columns are found by their names" "accuracy	1" "$(sed -n 2p .out)"
check_equal "each class is told apart" "$(printf 'is \\ predicted\thigh\tlow, or so\nhigh\t1\t0\nlow, or so\t0\t1')" \
    "$(tail -n 3 .out)"
printf 'kind,y,x\nhigh,0,120\nmiddle,1,7\n' >other.csv
run "$THRONG" evaluate words.safetensors --data other.csv
check_contains "what is no class is named with its row" "$err" \
    'other.csv:3: column kind: "middle" is no class of the model'
sed -i 's/accuracy]/accuracy, confusion]/' words.yaml
run "$THRONG" train words.yaml
check_matches "training tells them apart at its end, where that is asked for" \
    "$out" '^is \\ predicted	high	low, or so$'

# ---- numbers are numbers, rows are the file's, one sigmoid is a probability -----
python3 - <<'END'
import random

random.seed(2)
with open("two.csv", "w") as f:
    f.write("x,y\n")
    for i in range(80):
        y = random.choice((2, 5))
        f.write("%.6f,%d\n" % (y + random.gauss(0, 0.4), y))
END
cat >number.yaml <<'MODEL'
layers: [{dense: 8, activation: relu}, {dense: 1}]
loss: mse
optimizer: {name: adam, lr: 0.05}
epochs: 40
data: {file: two.csv, scale: std, validation: 0.25}
MODEL
run "$THRONG" train number.yaml
run "$THRONG" predict number.safetensors --csv
check_equal "a loss on numbers predicts numbers" "row,label,predicted 20" \
    "$(head -n 1 .out) $(awk -F, 'NR > 1 && ($2 == 2 || $2 == 5) && $3 > 0 && $3 != int($3)' .out | wc -l)"
check "near the labels" awk -F, 'NR > 1 && ($2 - $3) ^ 2 > 2 { exit 1 }' .out
check "each row has its number in the file, where its label is" awk -F, '
    FNR == NR { if (FNR > 1) label[FNR - 1] = $2; next }
    FNR > 1 { if (label[$1] != $2) exit 1; beyond = beyond || $1 > 20 }
    END { exit !beyond }' two.csv .out
own=$(cut -d, -f3 .out | tail -n +2)
rows=$(cut -d, -f1 .out | tail -n +2)
run "$THRONG" predict number.safetensors --data two.csv --csv
check_equal "another day's reading of the rows predicts the same" "$own" \
    "$(for r in $rows; do sed -n "$((r + 1))p" .out; done | cut -d, -f3)"
sed -e 's/^loss: .*/loss: binary_crossentropy/' -e '$a metrics: [accuracy, auc]' number.yaml >sigmoid.yaml
run "$THRONG" train sigmoid.yaml
run "$THRONG" predict sigmoid.safetensors --csv
check_equal "one sigmoid has the probability of both classes" \
    "row,label,predicted,p_2,p_5" "$(head -n 1 .out)"
check "which decide and add up to 1" awk -F, 'NR > 1 {
    if (($4 + $5 - 1) ^ 2 > 1e-10 || $3 != ($5 > 0.5 ? 5 : 2)) exit 1 }
    END { exit NR != 21 }' .out

# Inputs and labels in files of their own.
python3 - <<'END'
import struct
rows = [[i % 7, (i * 3) % 5, i % 2, 1] for i in range(60)]
for name, some in (("x", rows), ("new", rows[:9])):
    with open(name + ".idx", "wb") as f:
        f.write(struct.pack(">HBBIII", 0, 8, 3, len(some), 2, 2))
        f.write(b"".join(bytes(row) for row in some))
with open("y.txt", "w") as f:
    f.writelines("odd\n" if row[2] else "even\n" for row in rows)
END
head -n 9 y.txt >y9.txt
cat >pair.yaml <<'MODEL'
layers: [flatten, {dense: 8, activation: relu}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: 0.05}
epochs: 30
metrics: [accuracy]
data: {inputs: x.idx, labels: y.txt, scale: maxabs}
MODEL
run "$THRONG" train pair.yaml
rm x.idx y.txt
run "$THRONG" predict pair.safetensors --data new.idx --csv
check_equal "inputs alone are predicted" "row,predicted,p_even,p_odd even odd even" \
    "$(head -n 1 .out) $(sed -n 2,4p .out | cut -d, -f2 | xargs)"
run "$THRONG" evaluate pair.safetensors --data new.idx --labels y9.txt
check_equal "with their labels they are judged" "accuracy	1" "$(sed -n 2p .out)"

# Arrays of one file, in a join and as inputs, are found when weights are used.
python3 - <<'END'
import struct, zipfile
def npy(shape, numbers):
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % (shape,)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) +
            head.encode() + struct.pack("<%dd" % len(numbers), *numbers))
cells = [(i, i * i % 7 / 7, i % 3) for i in range(10)]
with zipfile.ZipFile("set.npz", "w") as f:
    f.writestr("cells.npy", npy((10, 3), sum(map(list, cells), [])))
    f.writestr("x.npy", npy((40, 2), [i % 5 for i in range(80)]))
    f.writestr("y.npy", npy((40,), [i % 2 for i in range(40)]))
with open("rows.csv", "w") as f:
    f.write("cell,dose,y\n")
    f.writelines("%d,%d,%d\n" % (i % 10, i % 4, i % 5) for i in range(60))
END
cat >joined.yaml <<'MODEL'
layers: [{dense: 4, activation: tanh}, {dense: 1}]
loss: mse
epochs: 2
data: {file: rows.csv, join: {cell: "set.npz:cells"}}
MODEL
run "$THRONG" train joined.yaml
check_status "rows are joined with an array of a file" 0
mkdir nearby
cp joined.safetensors set.npz nearby
head -n 4 rows.csv >nearby/three.csv
run env -C nearby "$THRONG" predict joined.safetensors --data three.csv --csv
check_equal "and are so again, where it lies beside the weights" 4 "$(wc -l <.out | tr -d ' ')"
cat >arrays.yaml <<'MODEL'
layers: [{dense: 2}]
loss: sparse_categorical_crossentropy
epochs: 2
data: {inputs: "set.npz:x", labels: "set.npz:y", validation: 0.2}
MODEL
run "$THRONG" train arrays.yaml
mv arrays.safetensors nearby
run "$THRONG" evaluate nearby/arrays.safetensors
check_status "the arrays that a model was trained on are found here" 0
run env -C / "$THRONG" evaluate "$PWD/nearby/arrays.safetensors"
check_status "and beside the weights" 0

# What a study kept is found from anywhere.
cp "$ROOT/examples/digits/search.yaml" .
sed -i 's/^run_cap.*/run_cap: 3/' search.yaml
"$THRONG" run -q search.yaml
best=$("$THRONG" rank digits | awk 'NR == 2 { print $2, $3 }')
weights=$TMP/.throng/digits/trials/0/${best% *}/output/weights.safetensors
mkdir elsewhere
run env -C elsewhere "$THRONG" evaluate "$weights"
check_equal "the weights of a trial have the trial's value" \
    "$(printf 'loss\t%.6g' "${best#* }")" "$(head -n 1 .out)"

# ---- many rows, in pieces -------------------------------------------------------
awk 'BEGIN { print "x,y,kind"
    for (i = 0; i < 40000; i++) print i % 97 "," i % 13 "," i % 100 }' >many.csv
head -n 1001 many.csv >few.csv
cat >wide.yaml <<'MODEL'
layers: [{dense: 4, activation: relu}, {dense: 100}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: 0.01}
epochs: 1
metrics: [accuracy, top_5]
data: {file: few.csv, label: kind, scale: std}
MODEL
run "$THRONG" train wide.yaml
"$THRONG" predict wide.safetensors --data few.csv --csv >few.out
if [ -n "${ASAN_OPTIONS:-}" ]; then
    skip "many rows need little memory" "the sanitizers need terabytes of addresses"
else
    # The predictions alone are 16 MB, the table of them 43 MB.
    run bash -c "ulimit -v 40000; exec '$THRONG' evaluate wide.safetensors --data many.csv --json"
    check_equal "many rows are judged in little memory" "40000 40000" \
        "$(python3 -c 'import json, sys
v = json.load(sys.stdin)
print(v["rows"], sum(map(sum, v["confusion"][0]["counts"])))' <.out)"
    run bash -c "ulimit -v 100000; exec '$THRONG' predict wide.safetensors --data many.csv --csv"
    check_equal "and predicted" 40001 "$(wc -l <.out)"
    check "as few rows are" cmp few.out <(head -n 1001 .out)
fi

cat >slow.yaml <<'MODEL'
layers: [{dense: 30000}, {dense: 100}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: 0.0001}
epochs: 1
data: {file: few.csv, label: kind, scale: std}
MODEL
run "$THRONG" train slow.yaml
"$THRONG" predict slow.safetensors --data many.csv >.out 2>.err &
predicting=$!
# The trainer, the worker's child, has the file open that it writes.
predicts() {
    ls -l "/proc/$(pgrep -P "$(pgrep -P $predicting)")/fd" | grep -q 'throng-infer.*tmp'
}
wait_for 60 predicts
kill -INT $predicting
wait $predicting
check_equal "who is interrupted while it predicts ends, without rows" \
    "130 0 throng predict: interrupted; nothing of it is kept" \
    "$? $(wc -l <.out) $(tail -n 1 .err)"

# A folder of a moment goes with its program, however that ends.
mkdir moment
export TMPDIR=$TMP/moment
for signal in INT TERM HUP; do
    # Whoever started the tests by nohup has HUP ignored.
    env --default-signal=$signal "$THRONG" predict slow.safetensors --data many.csv >.out 2>.err &
    predicting=$!
    wait_for 60 predicts
    kill -$signal $predicting
    wait $predicting
    check_equal "SIG$signal leaves no folder of a moment" "130 " "$? $(ls moment)"
done
"$THRONG" predict wide.safetensors --data few.csv 2>.err | true
check_equal "nor does a reader who reads no further" "0 " "${PIPESTATUS[0]} $(ls moment)"
unset TMPDIR

# Mistakes.
run "$THRONG" evaluate mlp.yaml
check_status "what is no weights file is an error" 1
run "$THRONG" evaluate none.safetensors
check_not "so is one that is not there" test "$status" -eq 0
run "$THRONG" evaluate mlp.safetensors --data none.csv
check_contains "and data that is not there" "$err" "none.csv"
mv digits.csv.gz hidden.gz
run "$THRONG" evaluate mlp.safetensors
check_not "without the data of the model there is an error" test "$status" -eq 0
check_contains "that names it" "$err" "digits.csv.gz"
