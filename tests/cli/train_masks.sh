#!/usr/bin/env bash
# Weights that a file of masks keeps at zero.
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} .
printf 'masks: masks.safetensors\n' >>mlp.yaml
# put NAME ROWS COLUMNS VALUE: a mask whose every fourth number is VALUE.
put() {
    python3 - "$@" <<'END_PYTHON'
import json, struct, sys
name, rows, columns, value = sys.argv[1], *map(float, sys.argv[2:])
n = int(rows * columns)
numbers = [value if i % 4 == 0 else 1 for i in range(n)]
head = json.dumps({name: {"dtype": "F32", "shape": [int(rows), int(columns)],
                          "data_offsets": [0, 4 * n]}}).encode()
with open("masks.safetensors", "wb") as f:
    f.write(struct.pack("<Q", len(head)) + head +
            struct.pack("<%df" % n, *numbers))
END_PYTHON
}
# zeros FILE: of the first weights, whose numbers are +0 bit for bit.
zeros() {
    python3 - "$1" <<'END_PYTHON'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
(size,) = struct.unpack("<Q", data[:8])
at = json.loads(data[8:8 + size])["dense_1.weight"]["data_offsets"]
bits = struct.unpack("<%dI" % ((at[1] - at[0]) // 4),
                     data[8 + size + at[0]:8 + size + at[1]])
print("every fourth" if [i for i, b in enumerate(bits) if b == 0] ==
      list(range(0, len(bits), 4)) else "others")
END_PYTHON
}
point=(lr=0.01 units=16 dropout=0)

# ---- one model ----------------------------------------------------------------
put dense_1.weight 64 16 0
run "$THRONG" train mlp.yaml "${point[@]}" -o masked.safetensors
check_status "a model is trained with masks" 0
check_equal "what is masked is zero in its weights, and nothing else" \
    "every fourth" "$(zeros masked.safetensors)"
check "it learns all the same" awk 'END { exit !($4 > 0.9) }' .out
run "$THRONG" evaluate masked.safetensors
check_status "its weights can be judged" 0

# ---- in checkpoints -------------------------------------------------------------
cat >rungs.yaml <<STUDY
model: mlp.yaml
method: random
run_cap: 9
seed: 4
metric: {name: val_loss, goal: minimize}
early_terminate: {type: asha, max_iter: 9, min_iter: 3}
parameters:
  lr: {distribution: log_uniform_values, min: 0.001, max: 0.1}
  units: {value: 16}
  dropout: {value: 0.1}
STUDY
run "$THRONG" run rungs.yaml
check_status "a study with masks and rungs trains" 0
for file in .throng/rungs/trials/0/*/checkpoint/checkpoint.safetensors; do
    zeros "$file"
done >zeros.txt
check_equal "every checkpoint has the zeros" "every fourth" \
    "$(sort -u zeros.txt)"

# ---- what does not fit ------------------------------------------------------------
bad() { # NAME TEXT: of train and of check
    run "$THRONG" train mlp.yaml "${point[@]}"
    check_status "train refuses $1" 1
    check_contains "and says why" "$err" "$2"
    run "$THRONG" check rungs.yaml
    check_status "so does check" 1
    check_matches "with the line" "$err" '^mlp.yaml:[0-9]+:[0-9]+: error: masks '
    check_contains "and the same reason" "$err" "$2"
}
put dense_1.weight 16 64 0
bad "a mask of another shape" \
    "the shape of dense_1.weight is 16×64, the model wants 64×16"
put dense_1.wieght 64 16 0
bad "a mask for no weights" \
    "the model trains no dense_1.wieght; did you mean \`dense_1.weight\`?"
put dense_1.weight 64 16 0.5
bad "a mask that is neither 0 nor 1" "number 0 of dense_1.weight is 0.5"
rm masks.safetensors
bad "a file that is not there" "masks.safetensors"
