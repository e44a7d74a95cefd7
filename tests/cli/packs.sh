#!/usr/bin/env bash
# Small logs, and weights, of large studies are packed; nobody sees a difference.
# thorough: studies of thousands of trials
. "$(dirname "$0")/lib.sh"

look() { python3 -S "$ROOT/tests/cli/json_look.py" "$@"; }
files() { find ".throng/$1/trials" | wc -l; } # with folders
# ---- logs ------------------------------------------------------------------
cat >said.yaml <<'END'
command: [sh, -c, 'echo said {x}; throng report loss={x}; [ {x} != 7 ] || [ -e mended ]']
method: grid
grid: {order: written}
parameters: {x: {min: 1, max: 1100}}
metric: {name: loss}
END
run "$THRONG" run said.yaml --quiet
check_status "a study of 1,100 trials runs" 3
check "its logs lie in a few files" test "$(files said)" -le 10
check_equal "the log of one trial is there" "said 5" "$("$THRONG" logs said 5)"
check_equal "those of all are, under their titles" "1100 1100" \
    "$("$THRONG" logs said all | grep -c '^said') $("$THRONG" logs said all | grep -c '^==> trial')"
check_equal "-f prints it too" "said 1001" "$("$THRONG" logs said 1001 -f)"
check_contains "show says that it is packed" "$("$THRONG" show said 5)" "throng export 5 --files"
run "$THRONG" export said 5,1001 --files out
check_status "files are written out" 0
check_equal "as they were" "said 5 said 1001" "$(cat out/5/log out/1001/log | paste -sd' ')"
run "$THRONG" export said 5 --files out
check_contains "and never over others" "$err" "is there already"

touch mended
run "$THRONG" retry said 7
check "a trial that is to run again has its log back" grep -q "said 7" .throng/said/trials/0/7/log
run "$THRONG" run said.yaml --quiet
check_status "the retried trial ends well" 0
check_equal "its log goes on where it was" "said 7 [throng: attempt 2] said 7" \
    "$("$THRONG" logs said 7 | paste -sd' ')"

run "$THRONG" rm said 5 -y
check_status "a packed trial can be removed" 0
check_not "and is gone from its pack" grep -qa "said 5$" .throng/said/trials/0.pack
check_equal "others stay" "said 6" "$("$THRONG" logs said 6)"
run "$THRONG" rm said 1-999 -y
check_not "a pack goes with the last of its trials" test -e .throng/said/trials/0.pack
check_equal "that of the next thousand stays" "said 1050" "$("$THRONG" logs said 1050)"

sed 's/max: 1100/max: 300/' said.yaml >few.yaml
run "$THRONG" run few.yaml --quiet
check "smaller studies stay as they are" test -f .throng/few/trials/0/200/log

# ---- weights ---------------------------------------------------------------
seq 40 | awk 'BEGIN { print "x,y" } { print $1 / 40 "," 3 * $1 / 40 }' >line.csv
cat >line.yaml <<'END'
layers: [{dense: 1}]
loss: mse
optimizer: {name: sgd, lr: "${lr}"}
epochs: 1
data: {file: line.csv, label: y, validation: 0.25}
END
cat >nets.yaml <<'END'
model: line.yaml
method: random
run_cap: 1100
parameters: {lr: {min: 0.001, max: 0.1}}
metric: {name: val_loss}
keep: all
END
outputs() { "$THRONG" show nets all --json | look 'sum(len(t["outputs"]) for t in d["trials"])'; }
weights=.throng/nets/trials/0/5/output/weights.safetensors
run "$THRONG" run nets.yaml --quiet
check_status "a study of 1,100 networks runs" 0
check "keep: all packs their weights" test "$(files nets)" -le 10
check_equal "show lists all of them" 1100 "$(outputs)"
value=$("$THRONG" export nets 5 --jsonl | look '"%.6g" % d["value"]')
run "$THRONG" evaluate $weights
check_equal "evaluate finds packed weights by their path" "loss $value" "$(head -n 1 .out | tr '\t' ' ')"
run "$THRONG" predict $weights --csv
check_status "so does predict" 0
sed 's/"${lr}"/0.01/' line.yaml >next.yaml
echo "initial_weights: $weights" >>next.yaml
run "$THRONG" train next.yaml
check_contains "a training that begins with them says how to unpack them" "$err" \
    "throng export STUDY TRIAL --files FOLDER"
run "$THRONG" export nets 5 --files nets5
sed -i 's|^initial_weights: .*|initial_weights: nets5/5/output/weights.safetensors|' next.yaml
run "$THRONG" train next.yaml -o next.safetensors
check_status "and begins with what that wrote" 0
run "$THRONG" evaluate nets5/5/output/weights.safetensors
check_equal "written out they are the same" "loss $value" "$(head -n 1 .out | tr '\t' ' ')"
run bash -c "$("$THRONG" show nets 5 --command) -o again.safetensors"
check "and those that training gives again" cmp again.safetensors nets5/5/output/weights.safetensors
run "$THRONG" evaluate .throng/nets/trials/0/5/output/none.safetensors
check_contains "what is not there is named" "$err" "none.safetensors"

sed -i 's/keep: all/keep: best:3/' nets.yaml
run "$THRONG" run nets.yaml
check_contains "a smaller keep: removes packed weights" "$err" "removed what 1097 trials left"
check_equal "but those of the best" 3 "$(outputs)"
best=$("$THRONG" rank nets -n 1 --json | look 'd["trials"][0]["id"]')
run "$THRONG" evaluate .throng/nets/trials/$((best / 1000))/$best/output/weights.safetensors
check_status "which can be used" 0

sed '/^keep/d' nets.yaml >unsaid.yaml
run "$THRONG" run unsaid.yaml
check_contains "without keep: run says whose weights stay" "$err" "of 1100 trials the best 10 keep their weights"
check_equal "those of ten" 10 "$(find .throng/unsaid -name weights.safetensors | wc -l)"
run "$THRONG" check unsaid.yaml
check_contains "check says so before" "$out" "weights of the best 10 trials"
