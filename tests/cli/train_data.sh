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
