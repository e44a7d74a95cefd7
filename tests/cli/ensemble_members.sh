#!/usr/bin/env bash
# Trials that make no ensemble: it is said when it is made, not when it is asked.
. "$(dirname "$0")/lib.sh"

rows() { # CLASS…: 60 rows of these
    awk -v names="$*" 'BEGIN { srand(2); count = split(names, name, " "); print "a,b,y"
        for (i = 0; i < 60; i++) print rand() + i % count "," rand() "," name[1 + i % count] }'
}
rows red green blue >rgb.csv
rows red green grey >grey.csv
rows red green >two.csv
cut -d , -f 1,2 rgb.csv >new.csv
cat >model.yaml <<'MODEL'
layers: [{dense: 4, activation: relu}, {dense: outputs}]
loss: sparse_categorical_crossentropy
epochs: 1
data: {file: "${file}", label: y, validation: 0.2}
defaults: {file: rgb.csv}
MODEL
cat >mixed.yaml <<'STUDY'
model: model.yaml
method: grid
keep: all
metric: {name: val_loss}
parameters: {file: {values: [rgb.csv, grey.csv, two.csv, rgb.csv]}}
STUDY
"$THRONG" run -q mixed.yaml
printf '{"format": "throng.ensemble/1"}\n' >one.ensemble
cp one.ensemble before
for other in 2 3; do
    run "$THRONG" ensemble mixed "1,$other" -o one.ensemble
    check_status "trials of other classes make no ensemble" 1
    check_contains "which is said by their numbers" "$err" \
        "trial $other does not go with trial 1: its classes are others"
done
check "a file that was there stays" cmp one.ensemble before
run "$THRONG" ensemble mixed 1,4 -o one.ensemble
check_status "those of the same classes make one" 0
run "$THRONG" ensemble mixed 1,9 -o other.ensemble
check_status "who is named by number must be there" 4
check_contains "which is said" "$err" "no trial is \`9\`; the study has trials 1 to 4"
check_not "and no ensemble made of the others" test -e other.ensemble
run "$THRONG" ensemble mixed 4-9,1,tag:none -o other.ensemble
check_equal "a range, a state or a tag may go further" "1 0.5 4 0.5" \
    "$(sed 1d <<<"$out" | tr '\t\n' '  ' | sed 's/ *$//')"

# ---- what is written takes the place of nothing else --------------------------------
cp model.yaml kept.yaml
: >empty
weights=.throng/mixed/trials/0/1/output/weights.safetensors
for verb in "ensemble mixed 1" "calibrate $weights" "novelty $weights --alpha 0.2"; do
    run "$THRONG" $verb -o model.yaml
    check_status "${verb%% *} takes the place of no model file" 1
    check_contains "which is said" "$err" "model.yaml is there already, is no"
    check "and it is left as it was" cmp model.yaml kept.yaml
    run "$THRONG" $verb -o empty
    check_status "an empty file is none" 0
    run "$THRONG" $verb -o empty
    check_status "one of its own kind is written anew" 0
    : >empty
done

# Shards would fail one after another.
cat >ask.yaml <<'STUDY'
predict: {models: mixed, data: new.csv, output: asked.csv}
STUDY
for verb in check run; do
    run "$THRONG" $verb ask.yaml
    check_status "nor are they asked together ($verb)" 1
    check_contains "and it is said before ($verb)" "$err" \
        "trial 2 does not go with trial 1: its classes are others"
done
check_not "no table is made of it" test -e asked.csv
# An ensemble of an earlier throng, or one that was written by hand.
"$THRONG" ensemble mixed 2 -o grey.ensemble 2>/dev/null >/dev/null
"$THRONG" ensemble mixed 1 -o rgb.ensemble 2>/dev/null >/dev/null
python3 - <<'END'
import json
made, other = (json.load(open(f"{name}.ensemble")) for name in ("rgb", "grey"))
made["members"] += other["members"]
json.dump(made, open("hand.ensemble", "w"))
END
sed -i 's/models: mixed/models: hand.ensemble/' ask.yaml
run "$THRONG" run ask.yaml
check_status "nor an ensemble of such" 1
check_contains "which is said, too" "$err" "its classes are others"

# ---- weights that are broken ----------------------------------------------------
weights=.throng/mixed/trials/0/4/output/weights.safetensors
check "weights lie by themselves" test -e $weights
head -c 300 $weights >cut
cp cut $weights
run "$THRONG" ensemble mixed 1,4 -o one.ensemble
check_not "a file that is cut off is no member" test "$status" -eq 0
check_contains "which is named" "$err" $weights

# ---- trials that have none ------------------------------------------------------
cat >steep.yaml <<'MODEL'
layers: [{dense: 4}, {dense: 1}]
loss: mse
optimizer: {name: sgd, lr: "${lr}"}
epochs: 20
data: {file: numbers.csv, label: y, validation: 0.2}
defaults: {lr: 0.01}
MODEL
awk 'BEGIN { srand(3); print "a,y"; for (i = 0; i < 60; i++) { x = rand(); print x "," x * x } }' >numbers.csv
cat >steep-study.yaml <<'STUDY'
name: steep
model: steep.yaml
method: grid
keep: all
metric: {name: val_loss}
parameters: {lr: {values: [0.01, 1000000, 0.02]}}
STUDY
run "$THRONG" run -q steep-study.yaml
check_contains "one of them diverges" "$("$THRONG" status steep)" "diverged"
run "$THRONG" ensemble steep all -o all.ensemble
check_status "all are those that have weights" 0
check_contains "who has none is said" "$err" "left out without weights: trial 2 (diverged)"
check_equal "the others weigh more" "1 0.5 3 0.5" "$(sed 1d <<<"$out" | tr '\t\n' '  ' | sed 's/ *$//')"
run "$THRONG" ensemble steep 1,2 -o some.ensemble
check_status "one that is named is missed" 4
check_contains "with what became of it" "$err" "trial 2 (diverged) has left no weights"
"$THRONG" rm steep 1,3 --yes >/dev/null 2>&1
run "$THRONG" ensemble steep all -o none.ensemble
check_status "nobody makes no ensemble" 4

# ---- nothing to vote for ---------------------------------------------------------
awk 'BEGIN { srand(5); print "a,b,y"; for (i = 0; i < 60; i++) { x = rand(); print x "," rand() "," 2 * x } }' >sizes.csv
cat >sizes.yaml <<'MODEL'
layers: [{dense: 1}]
loss: mse
metrics: [r2]
optimizer: {name: sgd, lr: "${lr}"}
epochs: 1
defaults: {lr: 0.01}
data: {file: sizes.csv, label: y, validation: 0.2}
MODEL
printf 'name: sizes\nmodel: sizes.yaml\nmethod: grid\nkeep: all\nmetric: {name: val_loss}\n%s\n' \
    'parameters: {lr: {values: [0.01, 0.02]}}' >sizes-study.yaml
"$THRONG" run -q sizes-study.yaml
run "$THRONG" ensemble sizes all --combine vote -o vote.ensemble
check_status "numbers have no votes" 1
check_contains "and what to take is said" "$err" \
    "a vote is of classes, and these models predict numbers: take mean or median"
check_not "no file is made" test -e vote.ensemble
"$THRONG" ensemble sizes all -o mean.ensemble >/dev/null 2>&1
sed 's/"combine":"mean"/"combine":"vote"/' mean.ensemble >vote.ensemble
run "$THRONG" predict vote.ensemble
check_contains "one that comes with a vote is refused, too" "$err" "a vote is of classes"
run "$THRONG" predict --study bulk sizes --data sizes.csv --combine vote
check_contains "so is one that is asked for" "$err" "a vote is of classes"
head -n 2 sizes.csv | sed '2s/.*/0.5,0.25,7/' >one.csv
run "$THRONG" calibrate mean.ensemble --data one.csv
check_status "one row calibrates, too" 0
check_lacks "and nothing is said of metrics that are not asked for" "$err" "r2"
