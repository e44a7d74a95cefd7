#!/usr/bin/env bash
# A search over a network's form: depth, widths, layers, how it starts and how
# it is trained. Trials of many shapes share the trainers; each must come to
# what it comes to alone.
# thorough: trains many networks twice
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/digits/digits.csv.gz .
cat >net.yaml <<'MODEL'
layers:
  - dense: 12
    activation: ${activation}
    initializer: ${initializer}
    l2: ${l2}
    repeat: ${depth}
  - {dense: {activation: "${activation}"}, widths: "${widths}"}
  - dropout: ${dropout}
  - dense: outputs
loss: sparse_categorical_crossentropy
class_weights: ${class_weights}
optimizer: {name: "${optimizer}", lr: "${lr}"}
batch_size: 32
epochs: 2
data: {file: digits.csv.gz, validation: 0.2, scale: maxabs, rows: 400, draw_seed: 1}
MODEL
cat >forms.yaml <<'STUDY'
model: net.yaml
method: random
run_cap: 36
seed: 5
metric: {name: val_loss, goal: minimize}
parameters:
  depth: {values: [0, 1, 2]}
  widths: {values: [[8], [16, 8], []]}
  activation: {values: [relu, tanh]}
  optimizer: {values: [adam, sgd]}
  initializer: {values: [glorot_uniform, he_normal, {kind: normal, spread: 0.3}]}
  l2: {values: [null, 0.01]}
  class_weights: {values: [[1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [3, 1, 1, 1, 1, 1, 1, 1, 1, 1]]}
  lr: {distribution: log_uniform_values, min: 0.003, max: 0.03}
  dropout: {min: 0.0, max: 0.4}
STUDY
run "$THRONG" run --quiet forms.yaml
check_status "a study searches depth, widths and all else" 0
check_equal "every trial is done" 36 \
    "$("$THRONG" export forms --jsonl | grep -c '"state":"done"')"

# The parameters of each trial by hand, one process each.
"$THRONG" export forms --jsonl | python3 -c '
import json, sys
for line in sys.stdin:
    t = json.loads(line)
    print(t["id"], repr(t["value"]))' >together
while read -r id value; do
    eval "PATH=$(dirname "$THRONG"):\$PATH; $("$THRONG" show forms "$id" --command)" \
        >.one 2>.error || cat .error
    echo "$id $value $(tail -n 1 .one | cut -f3)"
done <together >alone
check_equal "each comes to what it comes to alone" "" \
    "$(awk '($2 - $3) ^ 2 > ($2 * 1e-5) ^ 2 || !$3' alone)"
check_equal "there were 36 to compare" 36 "$(wc -l <alone)"
