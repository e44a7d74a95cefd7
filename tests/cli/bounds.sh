#!/usr/bin/env bash
# Constraints beside early_terminate: the method hears of them, the table shows
# them, and a crash changes nothing of either.
. "$(dirname "$0")/lib.sh"

# The nearer a is to 0 the better, but what is below 0.5 breaks the constraint.
# All steps up to the budget come at once, behind those that are done.
cat >task.sh <<'END'
echo >>"$SIDE/starts"
awk -v a="$1" -v from="$(cat "$THRONG_CHECKPOINT/n" 2>/dev/null || echo 0)" \
    -v to="${THRONG_BUDGET:-9}" 'BEGIN {
    for (n = from + 1; n <= to; n++)
        printf "::throng step=%d loss=%.17g size=%.17g\n", n, a + 1 / n, 10 * (1 - a)
}'
echo "${THRONG_BUDGET:-9}" >"$THRONG_CHECKPOINT/next"
mv "$THRONG_CHECKPOINT/next" "$THRONG_CHECKPOINT/n"
END
study() { # NAME RULE MAX
    cat >"$1.yaml" <<END
name: $1
command: [sh, $TMP/task.sh, "{a}"]
method: tpe
order: lag
lag: 3
parallel: 2
seed: 5
run_cap: 30
metric: {name: loss}
constraints: [{name: size, max: $3}]
parameters: {a: {min: 0.0, max: 1.0}}
early_terminate: $2
END
    export SIDE=$TMP/side.$1
    mkdir -p "$SIDE"
    : >"$SIDE/starts"
}
look() { # STUDY EXPRESSION: of its trials, d
    "$THRONG" export "$1" --jsonl | python3 -c 'import json, sys
d = [json.loads(line) for line in sys.stdin]
print(eval(sys.argv[1]))' "$2"
}
table='"\n".join("%d %s %r %r %s" % (t["id"], t["state"], t["params"]["a"], t["value"], t["reason"]) for t in d)'
started() { [ "$(wc -l <"$SIDE/starts")" -ge "$1" ]; }
over() { ! kill -0 "$1" 2>/dev/null; }
# Kills the conductor, its worker, or both, when so many attempts have begun.
crash() { # STUDY AT VICTIM
    "$THRONG" run -q "$1.yaml" >/dev/null 2>&1 &
    local pid=$!
    until started "$2" || over $pid; do sleep 0.02; done
    case $3 in
    conductor) kill -9 $pid ;;
    worker) kill -9 $(kids $pid) ;;
    both) kill_both $pid ;;
    esac 2>/dev/null
    wait $pid 2>/dev/null
}

# Who has gone further than the first rung, or was suggested late.
while IFS='|' read -r kind rule chosen; do
    study "calm_$kind" "$rule" 5
    check "$kind: runs" "$THRONG" run -q "calm_$kind.yaml"
    check_equal "$kind: who breaks the constraint has no value, and is said to" True \
        "$(look "calm_$kind" 'all((t["value"] is None) == (t["params"]["a"] < 0.5) == ("a constraint is broken: size" in t["reason"]) for t in d)')"
    check_equal "$kind: some break it, some are stopped by the rule" True \
        "$(look "calm_$kind" 'any(t["value"] is None for t in d) and any("by early_terminate" in t["reason"] for t in d)')"

    # The same where nothing breaks it: the best is at 0 then.
    study "free_$kind" "$rule" 50
    check "$kind: runs without a bound" "$THRONG" run -q "free_$kind.yaml"
    chosen="(lambda a: sum(a) / len(a))([t['params']['a'] for t in d if $chosen])"
    check "$kind: what breaks it is not looked for" \
        python3 -c 'import sys; sys.exit(not float(sys.argv[1]) > float(sys.argv[2]) + 0.2)' \
        "$(look "calm_$kind" "$chosen")" "$(look "free_$kind" "$chosen")"
    run "$THRONG" rank "calm_$kind" --json
    check_equal "$kind: and none of them ranks first" True "$(python3 -c '
import json, sys
t = json.load(sys.stdin)["trials"]
kept = [x["params"]["a"] >= 0.5 for x in t]
print(kept == sorted(kept, reverse=True) and kept[0])' <.out)"

    study "crash_$kind" "$rule" 5
    crash "crash_$kind" 5 conductor
    crash "crash_$kind" 14 both
    crash "crash_$kind" 22 worker
    check "$kind: runs to its end after crashes" "$THRONG" run -q "crash_$kind.yaml"
    check_equal "$kind: the table is the one of a run without" \
        "$(look "calm_$kind" "$table")" "$(look "crash_$kind" "$table")"
    check "$kind: the method suggests the same again" \
        "$THRONG" doctor "crash_$kind" --replay
done <<'END'
asha|{type: asha, min_iter: 1, max_iter: 9}|t["budget"] > 1
hyperband|{type: hyperband, min_iter: 1}|t["id"] > 15
threshold|{type: threshold, from: 3, threshold: 0.95}|t["id"] > 15
median|{type: median, percentile: 30, warmup_trials: 3}|t["id"] > 15
END
