#!/usr/bin/env bash
# Cross-validation on three published sets of gene expression, and a text
# classifier on real messages: where the data is there.
. "$(dirname "$0")/lib.sh"

real_data expression || skip_all "$no_real_data"
cp -r "$ROOT/examples/expression" study && cd study || exit 1
run sh get.sh "$THRONG_TEST_DATA/expression"
check_status "get.sh takes the published sets" 0

# The best mean over the folds of a value of dropout is at least LEAST.
learns() { # STUDY LEAST
    run "$THRONG" run "$1.yaml" --quiet
    check_status "$1 is cross-validated" 0
    best=$("$THRONG" export "$1" --csv | awk -F, 'NR > 1 {sum[$5] += $3}
        END {for (d in sum) if (sum[d] / 5 > best) best = sum[d] / 5
             print best}')
    if awk "BEGIN {exit !($best >= $2)}"; then
        ok "$1 is told apart with an accuracy of $2 or more"
    else
        not_ok "$1 is told apart with an accuracy of $2 or more" "it is $best"
    fi
}
learns leukaemia 0.9
learns colon 0.75
learns srbct 0.95
if ls "$XDG_CACHE_HOME"/throng/*.data >/dev/null 2>&1; then
    ok "the prepared data lies in the cache"
else
    not_ok "the prepared data lies in the cache" "$(ls -R "$XDG_CACHE_HOME" 2>&1)"
fi

cat >messages.yaml <<END
layers: [{embedding: 16}, {lstm: 16, bidirectional: true}, {dense: 2}]
loss: categorical_crossentropy
optimizer: {name: adam, lr: 0.005}
batch_size: 32
epochs: 2
metrics: [f1_macro]
data:
  file: $THRONG_TEST_DATA/text/SMSSpamCollection.tsv.gz
  label: 1
  text: {column: 2, vocabulary: 3000, length: 30}
  stratify: true
  fold: {k: 1, of: 5}
END
cat >sms.yaml <<'END'
name: sms
model: messages.yaml
method: grid
metric: {name: val_f1_macro, goal: maximize}
parameters: {part: {values: [1]}}
END
run "$THRONG" run sms.yaml --quiet
check_status "a text classifier is trained" 0
f1=$("$THRONG" export sms --csv | awk -F, 'NR == 2 {print $3}')
if awk "BEGIN {exit !(${f1:-0} >= 0.93)}"; then
    ok "spam is told from other messages"
else
    not_ok "spam is told from other messages" "F1 is $f1"
fi
