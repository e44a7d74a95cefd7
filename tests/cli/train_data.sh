#!/usr/bin/env bash
# Data as people have it: what a model is trained on, and what is said of it.
. "$(dirname "$0")/lib.sh"

# ---- labels of several columns of words -----------------------------------
{
    echo 'age,dose,Asthma,Cough,Fever'
    for i in $(seq 40); do
        echo "$i,$((i % 7)),$([ $((i % 2)) = 0 ] && echo Y || echo N),N,Y"
    done
} >ill.csv
cat >ill.yaml <<'MODEL'
layers: [{dense: 4, activation: relu}, {dense: 3, activation: sigmoid}]
loss: binary_crossentropy
epochs: 2
data: {file: ill.csv, label: {ill: [Asthma, Cough, Fever]}, validation: 0.25, scale: std}
MODEL
run "$THRONG" train ill.yaml
check_status "labels of Y and N are trained" 0
check_contains "what they stand for is said" "$err" \
    "labels Asthma and 2 more: N is 0, Y is 1"
run "$THRONG" predict ill.safetensors --csv
check_matches "predictions have the names of the columns" "$(head -n 1 .out)" \
    'p_Asthma,p_Cough,p_Fever$'
cut -d, -f1,2 ill.csv >new.csv
run "$THRONG" predict ill.safetensors --data new.csv --csv
check_equal "of new rows, too" "row,p_Asthma,p_Cough,p_Fever" \
    "$(head -n 1 .out)"

# ---- a study over labels ---------------------------------------------------
cat >one.yaml <<'MODEL'
layers: [{dense: 4, activation: relu}, {dense: 2}]
loss: sparse_categorical_crossentropy
epochs: 1
data: {file: sick.csv, label: "${what}", ignore: [Asthma, Cough], validation: 0.25}
MODEL
cut -d, -f1-4 ill.csv | sed 's/,N$/,Y/; 3s/,Y$/,N/' >sick.csv
cat >over.yaml <<'STUDY'
model: one.yaml
method: grid
metric: {name: val_loss, goal: minimize}
parameters: {what: {values: [Asthma, Cough]}}
STUDY
run "$THRONG" run over.yaml -q
check_status "a study learns each label and ignores the others" 0

# ---- tokens ----------------------------------------------------------------
cat >tokens.yaml <<'MODEL'
layers:
  - {embedding: 4, vocabulary: 100}
  - flatten
  - {dense: 2}
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: 0.01}
epochs: 2
data: {inputs: "${x}", labels: y.txt, validation: 0.25}
MODEL
for i in $(seq 20); do echo "$i,$((i * 3)),0" >>good.csv; done
for i in $(seq 20); do echo $((i % 2)); done >y.txt
sed '7s/,21,/,100,/' good.csv >large.csv
sed '3s/^3,/-1,/' good.csv >negative.csv
sed '4s/^4,/4.5,/' good.csv >half.csv
run "$THRONG" train tokens.yaml x=large.csv
check_status "a token that the embedding does not have is refused" 1
check_contains "with its place, itself and the vocabulary" "$err" \
    "embedding_1 has a vocabulary of 100, tokens 0 to 99; $TMP/large.csv: row 7: column 2 is 100"
run "$THRONG" train tokens.yaml x=negative.csv
check_contains "so is a negative one" "$err" "negative.csv: row 3: column 1 is -1"
run "$THRONG" train tokens.yaml x=half.csv
check_contains "and what is no whole number" "$err" "half.csv: row 4: column 1 is 4.5"
cat >tokens_study.yaml <<'STUDY'
model: tokens.yaml
method: grid
metric: {name: val_loss, goal: minimize}
parameters: {x: {values: [large.csv]}}
STUDY
run "$THRONG" check tokens_study.yaml
check_status "check finds it before any trial runs" 1
check_contains "and says where" "$err$out" "large.csv: row 7: column 2 is 100"
run "$THRONG" train tokens.yaml x=good.csv
check_status "others are trained" 0
plain=$out
sed 's/validation: 0.25/validation: 0.25, scale: std/' tokens.yaml >scaled.yaml
run "$THRONG" train scaled.yaml x=good.csv
check_equal "tokens are never scaled" "$plain" "$out"
sed 's/- {embedding/- {reshape: [3]}\n  - {embedding/' scaled.yaml >reshaped.yaml
run "$THRONG" train reshaped.yaml x=large.csv
check_contains "nor hidden by a reshape" "$err" "large.csv: row 7: column 2 is 100"

# ---- rows that are left out ------------------------------------------------
{
    echo 'a,b'
    for i in $(seq 9); do echo "$i,$((i % 2))"; done
} | sed '3s/.*/,0/' >gaps.csv
cat >gaps.yaml <<'MODEL'
layers: [{dense: 2}]
loss: sparse_categorical_crossentropy
epochs: 1
data: {file: gaps.csv, missing: drop, validation: 0.25, shuffle: false}
MODEL
run "$THRONG" train gaps.yaml
run "$THRONG" predict gaps.safetensors --csv
check_equal "predictions have the numbers of their rows in the file" "8 9" \
    "$(tail -n +2 .out | cut -d, -f1 | paste -sd' ')"

# ---- what is decided of a table is said, once ------------------------------
{
    echo 'cap,gills,kind'
    for i in $(seq 6); do
        printf 'smooth,white,edible\nrough,red,poisonous\nrough,white,edible\n'
    done
} >words.csv
cat >words.yaml <<'MODEL'
layers: [{dense: 4, activation: relu}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: "${lr}"}
epochs: 1
data: {file: words.csv, validation: 0.25}
MODEL
cat >words_study.yaml <<'STUDY'
model: words.yaml
method: grid
metric: {name: val_loss, goal: minimize}
parameters: {lr: {values: [0.1, 0.01, 0.2, 0.3]}}
STUDY
said="data: words.csv has words only; its first row (cap, …) is taken as the names of the columns"
run "$THRONG" check words_study.yaml
check_status "a table of words has a header, and two classes are left" 0
check_contains "check says so" "$err" "words.yaml:5:7: notice: $said"
run "$THRONG" run words_study.yaml
check_equal "run says it once, whatever the number of trainers" 1 \
    "$(grep -cF "$said" .err)"
sed 's/{dense: 2}/{dense: "${out}"}/; s/"${lr}"/0.1/' words.yaml >out.yaml
sed 's/words.yaml/out.yaml/; s/lr: .*/out: {values: [2, 3, 4, 5]}}/' \
    words_study.yaml >out_study.yaml
run "$THRONG" check out_study.yaml
check_contains "no more points are looked at than a grid has" "$err" \
    "3 of 4 points looked at have this"

# ---- what would be passed over ---------------------------------------------
for seed in '"abc"' 1.5; do
    sed "s/\"\${lr}\"/0.1/; s/^epochs/seed: $seed\nepochs/" words.yaml >seed.yaml
    run "$THRONG" train seed.yaml
    check_status "a seed of $seed is refused" 1
    check_contains "at its place" "$err" "seed.yaml:4:"
done
run "$THRONG" train seed.yaml --seed 3
check_status "unless the command line says another" 0
sed 's/words.yaml/seed.yaml/; s/lr: .*/x: {values: [1, 2]}}/' words_study.yaml \
    >seed_study.yaml
run "$THRONG" check seed_study.yaml
check_contains "check says it, too" "$err" "seed must be a whole number"
sed 's/file: words.csv/file: nowhere.csv, train: words.csv/' words.yaml >two.yaml
sed 's/words.yaml/two.yaml/' words_study.yaml >two_study.yaml
run "$THRONG" check two_study.yaml
check_contains "so are two keys for what to train on" "$err" \
    "\`file\` and \`train\` both say what to train on"

# ---- labels that nothing learns, and data that is not there ----------------
sed 's/"${lr}"/0.1/; s/file: words.csv/file: words.csv, label: [kind, cap]/' \
    words.yaml >unused.yaml
run "$THRONG" train unused.yaml
check_contains "a label without a head is said to have none" "$err" \
    "predicts the label cap"
sed 's/"${lr}"/0.1/; s/words.csv/nowhere.csv/' words.yaml >nowhere.yaml
run "$THRONG" train nowhere.yaml
check_equal "data that is not there is named" \
    "throng train: cannot read $TMP/nowhere.csv: there is no such file" "$err"
