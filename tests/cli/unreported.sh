#!/usr/bin/env bash
# A metric that never comes, and values that are none.
. "$(dirname "$0")/lib.sh"

study() { # name script metric-keys
    printf '%s\n' "$2" >"$1.sh"
    printf '%s\n' "name: $1" "command: [sh, $1.sh, '{i}']" 'method: grid' \
        "metric: {$3}" 'parallel: 2' \
        'parameters: {i: {values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}}' \
        >"$1.yaml"
}
finished() { "$THRONG" status "$1" --json | sed 's/.*"finished":\([0-9]*\).*/\1/'; }

# ---- a name that nobody reports ----------------------------------------------
study near 'throng report val_loss=0.$1 acc=1' 'name: val_los'
run "$THRONG" run near.yaml
check_status "a metric that never comes is like a failure" 3
check "after the first trials no more start" test "$(finished near)" -lt 12
check_contains "what was reported is said, and what may be meant" "$err" \
    'reported acc, val_loss; did you mean `val_loss`?'
check_contains "and that no more were started" "$err" \
    "the first trials ended without the metric, so no more were started (--keep-going goes on"
run "$THRONG" run near.yaml --keep-going
check_status "--keep-going runs all, and does not hide it" 3
check_contains "the exit code is explained" "$("$THRONG" help exit-codes)" \
    "some trials failed, or none has reported
       its metric"
check_contains "so is --keep-going" "$("$THRONG" help run)" \
    "the first trials fail or lack the metric"
check_equal "all of them" 12 "$(finished near)"
check_contains "how many have no value is said" "$err" "12 without a value"
run "$THRONG" rank near
check_contains "rank says it of a study that has ended" "$err" \
    "of 12 trials none has a value"
check_lacks "without a promise" "$err" "yet"
run "$THRONG" check near.yaml --try 1
check_status "check --try says it before" 3
check_contains "in the same words" "$err" 'did you mean `val_loss`?'

# ---- a name that is only printed -----------------------------------------------
study printed 'echo "epoch 3: {'"'loss'"': 0.$1}"' 'name: loss'
run "$THRONG" run printed.yaml
check_status "so is one that is only printed" 3
check_contains "a pattern is suggested" "$err" \
    "pattern: 'loss'': ([-+0-9.eE]+)'}, or print \`::throng loss=0."
study found 'echo "epoch 3: {'"'loss'"': 0.$1}"' \
    "name: loss, pattern: 'loss'': ([-+0-9.eE]+)'"
run "$THRONG" run found.yaml
check_status "with which it goes" 0
study silent ':' 'name: loss'
run "$THRONG" run silent.yaml
check_contains "one that prints nothing is told how" "$err" 'print `::throng loss=VALUE`'

study alike 'echo "epoch 3: train_loss=0.7 val_acc=0.$1"' 'name: val_accuracy'
run "$THRONG" run alike.yaml
check_contains "one that is printed under a name like it is found, too" "$err" \
    "say metric: {name: val_acc, pattern: 'val_acc=([-+0-9.eE]+)'}, or print \`::throng val_accuracy=0."

# ---- one that gets on -----------------------------------------------------------
study late 'if [ $THRONG_TRIAL = 1 ]; then while [ ! -e go ]; do sleep 0.05; done
throng report loss=1; elif [ -e go ]; then throng report loss=2; fi' 'name: loss'
"$THRONG" run late.yaml 2>late.err &
late=$!
check "while others run that may report it, a study waits" wait_for 60 \
    grep -q "no more start until one of those that run has reported it" late.err
touch go
wait "$late"
code=$?
check_equal "and goes on when one does" 0 "$code"
check_equal "to its end" 12 "$(finished late)"

# ---- values that are none -------------------------------------------------------
study nans 'throng report loss=$([ $1 -gt 4 ] && echo nan || echo $1)' 'name: loss'
run "$THRONG" run nans.yaml
check_status "NaN is a report" 0
check_contains "run says how many have no value" "$err" "8 without a value"
run "$THRONG" status nans
check_contains "so does status" "$out" "8 ended well without a value"
run "$THRONG" status nans --json
check_contains "for programs, too" "$out" '"valueless":8'
run "$THRONG" rank nans
check_contains "and rank" "$err" "8 trials ended well without a value"
