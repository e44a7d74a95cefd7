#!/usr/bin/env bash
# A trial that finds no checkpoint begins anew: what attempts before it reported
# stays to be looked at, and does not count.
# timeout: 300
. "$(dirname "$0")/lib.sh"

study() { # NAME COMMAND [LINE...]
    local name=$1 command=$2
    shift 2
    printf '%s\n' "name: $name" "command: $command" 'method: grid' \
        'parameters: {x: {values: [1]}}' 'retries: 3' 'retry_delay: 0' \
        >"$name.yaml"
    case " $* " in
    *metric:*) ;;
    *) echo 'metric: {name: loss, goal: minimize}' >>"$name.yaml" ;;
    esac
    printf '%s\n' "$@" >>"$name.yaml"
}
# value STUDY: how its only trial ended, its value, and how many points count.
value() {
    "$THRONG" export "$1" --jsonl >.row
    "$THRONG" export "$1" --history --jsonl >.points
    python3 -c '
import json
trial, = map(json.loads, open(".row"))
points = [p for p in map(json.loads, open(".points")) if p["metric"] == "loss"]
print(trial["state"], trial["value"], len(points))'
}
expect() { # NAME STUDY STATE VALUE POINTS
    check_equal "$1" "$3 $4 $5" "$(value "$2")"
}

# say.sh WAY N...: reports each number in one of the ways, without a step.
cat >say.sh <<'END'
way=$1
shift
for n in "$@"; do
    case $way in
    report) throng report loss=$n || exit 2 ;;
    json) echo "{\"loss\": $n}" >>"$THRONG_METRICS" ;;
    mark) echo "::throng loss=$n" ;;
    pattern) echo "loss is $n" ;;
    wandb) echo "$n" ;;
    esac
done
END
# fails.sh WAY: fails after eight reports, and ends well after one.
cat >fails.sh <<'END'
if [ "$THRONG_ATTEMPT" = 1 ]; then
    sh say.sh "$1" 1 2 3 4 5 6 7 8
    exit 1
fi
sh say.sh "$1" 0.5
END
for way in report json mark; do
    study "$way" "sh fails.sh $way"
    check "$way: runs" "$THRONG" run -q "$way.yaml"
    expect "$way: what a failed attempt reported is not the value" "$way" done 0.5 1
done
study pattern "sh fails.sh pattern" \
    'metric: {name: loss, goal: minimize, pattern: "loss is ([0-9.]+)"}'
check "pattern: runs" "$THRONG" run -q pattern.yaml
expect "pattern: what a failed attempt reported is not the value" pattern done 0.5 1
cat >log.py <<'END'
import os, sys, wandb
first = os.environ["THRONG_ATTEMPT"] == "1"
with wandb.init() as run:
    for n in range(1, 9) if first else [0.5]:
        run.log({"loss": n})
sys.exit(first)
END
study stand_in "python3 log.py" 'wandb: stand-in'
check "wandb: runs" "$THRONG" run -q stand_in.yaml
expect "wandb: what a failed attempt reported is not the value" stand_in done 0.5 1

study best "sh -c 'if [ \$THRONG_ATTEMPT = 1 ]; then sh say.sh mark 0 5; exit 1; fi; sh say.sh mark 4 3 7'" \
    'metric: {name: loss, goal: minimize, pick: best}'
check "pick best: runs" "$THRONG" run -q best.yaml
expect "nor the best" best done 3.0 3

# ---- looking at it ---------------------------------------------------------
check_equal "what does not count is still there, with its attempt" \
    "1:8 2:1" \
    "$("$THRONG" export mark 1 --history --attempts | tail -n +2 | cut -d, -f2 |
        sort | uniq -c | awk '{ printf "%s%s:%s", (NR > 1 ? " " : ""), $2, $1 }')"
check_contains "with the value that it had" \
    "$("$THRONG" export mark 1 --history --attempts --jsonl)" \
    '"attempt":1,"step":7'
check_equal "and stands in no table" "0.5" \
    "$("$THRONG" rank mark -n 1 | tail -n 1 | cut -f 3)"

# ---- with a checkpoint -------------------------------------------------------
cat >kept.sh <<'END'
if [ "$THRONG_ATTEMPT" = 1 ]; then
    sh say.sh mark 3 2
    echo 2 >"$THRONG_CHECKPOINT/n"
    exit 1
fi
sh say.sh mark 5
END
study kept "sh kept.sh" 'metric: {name: loss, goal: minimize, pick: best}'
check "kept: runs" "$THRONG" run -q kept.yaml
expect "with a checkpoint a retry goes on, and all counts" kept done 2.0 3

cat >middle.sh <<'END'
case $THRONG_ATTEMPT in
1) sh say.sh mark 1 1 1 1; exit 1 ;;
2) sh say.sh mark 9; echo 1 >"$THRONG_CHECKPOINT/n"; exit 85 ;;
3) sh say.sh mark 8 7; exit 1 ;;
*) sh say.sh mark 6 ;;
esac
END
study middle "sh middle.sh" 'metric: {name: loss, goal: minimize, pick: best}'
check "middle: runs" "$THRONG" run -q middle.yaml
expect "what goes on from one that began anew counts with it" middle done 6.0 4

study empty85 "sh -c 'if [ \$THRONG_ATTEMPT = 1 ]; then sh say.sh mark 1 2; exit 85; fi; sh say.sh mark 7'"
check "85 without a checkpoint: runs" "$THRONG" run -q empty85.yaml
expect "exit code 85 without a checkpoint begins anew" empty85 done 7.0 1

# ---- steps of its own ----------------------------------------------------------
cat >own.sh <<'END'
n=$(cat own.n 2>/dev/null || echo 0)
here=0
while [ "$n" -lt 6 ]; do
    n=$((n + 1)) here=$((here + 1))
    throng report "step=$n" "loss=$n" || exit 2
    echo "$n" >own.n
    [ "$here" -lt 4 ] || exit 1
done
END
study own "sh own.sh" 'metric: {name: loss, goal: minimize, pick: best}'
check "own: runs" "$THRONG" run -q own.yaml
expect "steps that go on show a checkpoint elsewhere, and all counts" own done 1.0 6

cat >back.sh <<'END'
if [ "$THRONG_ATTEMPT" = 1 ]; then
    for n in 1 2 3 4 5 6 7 8; do throng report step=$n loss=$n; done
    echo 5 >"$THRONG_CHECKPOINT/n"
    exit 1
fi
throng report step=6 loss=0.6
throng report step=7 loss=0.7
END
study back "sh back.sh"
check "back: runs" "$THRONG" run -q back.yaml
expect "who goes back to an older checkpoint has its own last value" back done 0.7 7

cat >other.sh <<'END'
if [ "$THRONG_ATTEMPT" = 1 ]; then
    throng report step=1 train=1; throng report step=2 train=1 loss=1; exit 1
fi
throng report step=1 train=1
END
study other "sh other.sh"
run "$THRONG" run -q other.yaml
expect "nor counts a metric that was not reported again" other done None 0

study silent "sh -c 'if [ \$THRONG_ATTEMPT = 1 ]; then sh say.sh mark 3; exit 1; fi'"
run "$THRONG" run silent.yaml
expect "what a failed attempt said is not the value of a silent one" silent done None 0
check_contains "which is said" "$err" "ended without reporting"
check_equal "and what does not count is still there" 1 \
    "$("$THRONG" export silent --history --attempts | grep -c ',loss,')"

# ---- interrupted, killed --------------------------------------------------------
cat >slow.sh <<'END'
if [ ! -e pass ]; then
    sh say.sh "$1" 1 2 3 4
    touch "here$THRONG_ATTEMPT"
    while :; do sleep 0.05; done
fi
sh say.sh "$1" 9 8
END
heard() { # STUDY ATTEMPT: four points of the attempt are stored
    [ "$("$THRONG" export "$1" 1 --history --attempts 2>/dev/null |
        grep -c "^1,$2,")" = 4 ]
}
for way in json mark; do
    rm -f pass here*
    study "slow_$way" "sh slow.sh $way" 'grace: 0.1s'
    for attempt in 1 2; do
        "$THRONG" run -q "slow_$way.yaml" &
        wait_for 60 heard "slow_$way" $attempt
        kill -TERM $!
        wait $!
    done
    touch pass
    check "$way: runs to its end" "$THRONG" run -q "slow_$way.yaml"
    expect "$way: interrupted twice, the last attempt counts" "slow_$way" done 8.0 2

    rm -f pass here*
    study "killed_$way" "sh slow.sh $way"
    "$THRONG" run -q "killed_$way.yaml" &
    conductor=$!
    wait_for 60 heard "killed_$way" 1
    kill -9 $(cat "/proc/$conductor/task/$conductor/children")
    wait_for 60 heard "killed_$way" 2
    kill -9 $conductor $(cat "/proc/$conductor/task/$conductor/children")
    wait $conductor 2>/dev/null
    touch pass
    check "$way: runs to its end after kills" "$THRONG" run -q "killed_$way.yaml"
    expect "$way: lost twice, the last attempt counts" "killed_$way" done 8.0 2
done

# ---- rules, rungs, replay -------------------------------------------------------
study patience "sh -c 'if [ \$THRONG_ATTEMPT = 1 ]; then sh say.sh report 1 2; exit 1; fi; sh say.sh report 5 4 6 6 6'" \
    'early_terminate: {type: patience, patience: 4}'
check "patience: runs" "$THRONG" run -q patience.yaml
expect "patience begins anew" patience done 6.0 5

# Each trial fails once, with a value that would win.
cat >rung.sh <<'END'
if [ "$THRONG_ATTEMPT" = 1 ]; then
    throng report loss=0
    exit 1
fi
n=0
while [ "$n" -lt "${THRONG_BUDGET:-18}" ]; do
    n=$((n + 1))
    throng report loss=$(($1 * 100 - n))
done
END
printf '%s\n' 'name: rungs' "command: [sh, rung.sh, '{x}']" 'method: tpe' \
    'order: lag' 'lag: 4' 'seed: 3' 'run_cap: 12' 'parallel: 2' 'retries: 1' \
    'retry_delay: 0' 'metric: {name: loss, goal: minimize, pick: best}' \
    'early_terminate: {type: asha, min_iter: 2, max_iter: 18}' \
    'parameters: {x: {min: 1, max: 99}}' >rungs.yaml
check "rungs: runs" "$THRONG" run -q rungs.yaml
"$THRONG" export rungs --jsonl >.rungs
check_equal "no value at a rung is a failed attempt's" "12 0 True" \
    "$(python3 -c '
import json
trials = [json.loads(line) for line in open(".rungs")]
print(len(trials), sum(t["value"] != t["params"]["x"] * 100 - t["budget"]
                       for t in trials), any(t["budget"] > 2 for t in trials))')"
run "$THRONG" doctor rungs --replay
check_status "the method suggests the same again" 0
