#!/usr/bin/env bash
# A trial is to stop at a report, says more, and ends well; throng dies before it
# hears of the end. With the next run it has stopped where that was decided: it
# is not done with the value that it had there.
. "$(dirname "$0")/lib.sh"

# Four points; the last one is to stop at its third report at the latest, and
# says all nine all the same.
cat >task.sh <<'END'
for n in 1 2 3 4 5 6 7 8 9; do
    echo "::throng step=$n loss=$(($1 + (n > 5 ? -90 : 0)))"
done
[ "$1" != 100 ] || {
    touch "$SIDE/said"
    while [ ! -e "$SIDE/go" ]; do sleep 0.05; done
    touch "$SIDE/ended"
}
END
study() { # NAME RULE
    cat >"$1.yaml" <<END
command: [sh, task.sh, "{a}"]
method: grid
grid: {order: written}
parallel: 1
grace: 300s
metric: {name: loss}
parameters: {a: {values: [10, 10, 10, 100]}}
early_terminate: $2
END
    export SIDE=$TMP/side.$1
    mkdir -p "$SIDE"
}
last() { # STUDY: state, value and reason of its last trial
    "$THRONG" export "$1" --jsonl | tail -n 1 | python3 -c 'import json, sys
t = json.load(sys.stdin)
print(t["state"], t["value"], t["reason"])'
}
heard() { "$THRONG" export "$1" --jsonl | tail -n 1 | grep -q '"last":100.0'; }
run_to_end() { # STUDY
    touch "$SIDE/go"
    run "$THRONG" run -q "$1.yaml"
}
cut_off() { # STUDY: its conductor dies between the decision and the end
    "$THRONG" run -q "$1.yaml" >/dev/null 2>&1 &
    local pid=$!
    to_end+=("$pid")
    wait_for 60 test -e "$SIDE/said"
    wait_for 60 heard "$1"
    kill -STOP "$pid"
    touch "$SIDE/go"
    wait_for 60 test -e "$SIDE/ended"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
}
while IFS='|' read -r name rule; do
    study "${name}_calm" "$rule"
    run_to_end "${name}_calm"
    expected=$(last "${name}_calm")
    check_matches "$name: it stops" "$expected" \
        "^stopped 100.0 by early_terminate $name at [123]: "
    study "$name" "$rule"
    cut_off "$name"
    run "$THRONG" run -q "$name.yaml"
    check_equal "$name: it has stopped there after a crash, too" \
        "$expected" "$(last "$name")"
done <<'END'
threshold|{type: threshold, threshold: 50}
patience|{type: patience, patience: 2}
median|{type: median, warmup_trials: 3}
hyperband|{type: hyperband, min_iter: 1}
asha|{type: asha, min_iter: 1, max_iter: 9, promote: false}
END
