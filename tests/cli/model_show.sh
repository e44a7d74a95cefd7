#!/usr/bin/env bash
# `throng model show`: what a model file describes, and what is wrong with it.
. "$(dirname "$0")/lib.sh"

cat >unet.yaml <<'MODEL'
input: [16, 16, 1]
layers:
  - {conv2d: "${width}", padding: same, activation: relu, name: down}
  - max_pool2d: 2
  - {conv2d: 16, padding: same, activation: relu}
  - {conv2d_transpose: 8, kernel: 2, stride: 2, name: up}
  - {concat: null, from: [up, down]}
  - {conv2d: 1, kernel: 1, activation: sigmoid}
loss: dice
MODEL

run "$THRONG" model show unet.yaml width=8
check_status "a model is shown" 0
check_equal "its branch and its merge are drawn" "$(printf '%s\n' \
    '' '○' '●' '├─●' '│ ●' '│ ●' '●─╯' '●' '◆' '')" \
    "$(printf '%s\n' "$out" | head -9 | sed 's/  .*//')"
check_contains "with shapes" "$out" "16×16×16"
check_contains "with parameters" "$out" "parameters  1,785"

run "$THRONG" model show unet.yaml width=8 --json
check_status "the same for programs" 0
check_equal "with what each layer takes" "['up', 'down'] [16, 16, 16]" \
    "$(printf '%s\n' "$out" | python3 -c '
import json, sys
layer = json.load(sys.stdin)["layers"][4]
print(layer["from"], layer["output"])')"

run "$THRONG" model show "$ROOT/bench/models/mobilenet_v2.json"
check_contains "MobileNetV2 has the parameters that it is known for" "$out" \
    "parameters  3,538,984, of them trained 3,504,872"

sed 's/stride: 2, name: up/stride: 3, name: up/' unet.yaml >wrong.yaml
run "$THRONG" model show wrong.yaml width=8
check_status "shapes that do not fit are a mistake" 1
check_contains "the line is named" "$err" "wrong.yaml:7:"
check_contains "and both layers with their shapes" "$err" \
    "cannot join up of shape 24×24×8 and down of shape 16×16×8"
