#!/usr/bin/env bash
# Reports without a step go on where the checkpointed predecessor stood, and
# what a task has handed in is not lost with its worker.
# timeout: 500
. "$(dirname "$0")/lib.sh"

# value STUDY TRIAL: the trial's value and how many points it has.
value() {
    python3 - ".throng/$1/study.db" "$2" <<'END'
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
value, = db.execute("select value from trials where id = ?", sys.argv[2:]).fetchone()
summary, = db.execute("select summary from texts where id = ?", sys.argv[2:]).fetchone()
print("%s %d" % ("none" if value is None else "%g" % value,
                 json.loads(summary)["y"]["count"]))
END
}

# count.sh WAY LIMIT: counts up to LIMIT in its checkpoint, reports each number
# in one of the ways, and ends with exit code 85 after every four.
cat >count.sh <<'END'
n=$(cat "$THRONG_CHECKPOINT/n" 2>/dev/null || echo 0)
i=0
while [ "$n" -lt "$2" ]; do
    n=$((n + 1))
    case $1 in
    report) throng report y=$n ;;
    json) echo "{\"y\": $n}" >>"$THRONG_METRICS" ;;
    mark) echo "::throng y=$n" ;;
    pattern) echo "y is $n" ;;
    steps) throng report step=$n y=$n ;;
    esac
    echo "$n" >"$THRONG_CHECKPOINT/n.new"
    mv "$THRONG_CHECKPOINT/n.new" "$THRONG_CHECKPOINT/n"
    i=$((i + 1))
    [ "$i" -lt 4 ] || exit 85
done
END
cat >log.py <<'END'
import os, sys
import wandb
path = os.environ["THRONG_CHECKPOINT"] + "/n"
n = int(open(path).read()) if os.path.exists(path) else 0
run = wandb.init()
for i in range(4):
    if n == 10:
        sys.exit(0)
    n += 1
    wandb.log({"y": n})
    with open(path, "w") as file:
        file.write(str(n))
run.finish()
sys.exit(85)
END

study() { # NAME COMMAND [LINE...]
    local name=$1 command=$2
    shift 2
    printf 'name: %s\ncommand: %s\nmethod: grid\nparameters: {x: {values: [1]}}\n' \
        "$name" "$command" >"$name.yaml"
    printf '%s\n' "$@" >>"$name.yaml"
}

for way in report json mark steps; do
    study "$way" "sh count.sh $way 10" 'metric: {name: y, goal: maximize}'
    check "$way: runs" "$THRONG" run -q "$way.yaml"
    check_equal "$way: the last value said is the value, after two checkpoints" "10 10" \
    "$(value $way 1)"
done
study pattern "sh count.sh pattern 10" \
    'metric: {name: y, goal: maximize, pattern: "y is ([0-9]+)"}'
check "pattern: runs" "$THRONG" run -q pattern.yaml
check_equal "pattern: the last value said is the value, after two checkpoints" "10 10" \
    "$(value pattern 1)"
study stand_in "python3 log.py" 'metric: {name: y, goal: maximize}' \
    'wandb: stand-in'
check "wandb: runs" "$THRONG" run -q stand_in.yaml
check_equal "wandb: the last value said is the value, after two checkpoints" "10 10" \
    "$(value stand_in 1)"
study best "sh count.sh report 10" 'metric: {name: y, goal: minimize, pick: best}'
check "pick best: runs" "$THRONG" run -q best.yaml
check_equal "pick: best knows the points of all attempts" "1 10" "$(value best 1)"

# ---- begun anew, mixed, interrupted ------------------------------------

cat >anew.sh <<'END'
throng report y=$((10 * THRONG_ATTEMPT)); throng report y=$((10 * THRONG_ATTEMPT + 1))
[ "$THRONG_ATTEMPT" -gt 1 ]
END
study anew "sh anew.sh" 'metric: {name: y, goal: maximize}' 'retries: 1' \
    'retry_delay: 0'
check "anew: runs" "$THRONG" run -q anew.yaml
check_equal "an attempt without a checkpoint begins at 0 again" "21 2" \
    "$(value anew 1)"

check_equal "the points of every attempt can be looked at" \
    "trial,attempt,step,metric,value
1,1,0,y,10.0
1,1,1,y,11.0
1,2,0,y,20.0
1,2,1,y,21.0" \
    "$("$THRONG" export anew --history --attempts | cut -d, -f1-3,5-)"
run "$THRONG" export anew --attempts
check_status "which belongs to --history" 2

study mixed "sh -c 'throng report step=7 y=1; throng report y=2'" \
    'metric: {name: y, goal: maximize}'
check "mixed: runs" "$THRONG" run -q mixed.yaml
check_equal "a report without a step stands behind one with" "2 2" \
    "$(value mixed 1)"

# Goes on after each signal, and says each number exactly once.
cat >slow.sh <<'END'
n=$(cat "$THRONG_CHECKPOINT/n" 2>/dev/null || echo 0)
while [ "$n" -lt 12 ]; do
    n=$((n + 1))
    throng report y=$n
    echo "$n" >"$THRONG_CHECKPOINT/n.new"
    mv "$THRONG_CHECKPOINT/n.new" "$THRONG_CHECKPOINT/n"
    while [ "$n" = 4 ] || [ "$n" = 8 ] && [ ! -e "pass$n" ]; do sleep 0.05; done
done
END
study slow "sh slow.sh" 'metric: {name: y, goal: maximize}' 'grace: 0.1s'
for stop in 4 8; do
    "$THRONG" run -q slow.yaml &
    wait_for 60 grep -qs "^$stop\$" .throng/slow/trials/0/1/checkpoint/n
    kill -TERM $!
    wait $!
    touch "pass$stop"
done
check "slow: runs to its end" "$THRONG" run -q slow.yaml
check_equal "a study that was interrupted twice has each value once" "12 12" \
    "$(value slow 1)"

# ---- rungs ----------------------------------------------------------------

cat >rung.sh <<'END'
n=$(cat "$THRONG_CHECKPOINT/n" 2>/dev/null || echo 0)
while [ "$n" -lt "${THRONG_BUDGET:-9}" ]; do
    n=$((n + 1))
    echo "$n" >"$THRONG_CHECKPOINT/n"
    case $1 in
    with) throng report "step=$n" "y=$(($2 * 100 - n))" ;;
    *) throng report "y=$(($2 * 100 - n))" ;;
    esac
done
END
for kind in with without; do
    printf '%s\n' "name: $kind" "command: [sh, rung.sh, $kind, '{x}']" \
        'method: grid' 'early_terminate: {type: asha, min_iter: 1, max_iter: 9}' \
        'parallel: 1' 'metric: {name: y, goal: minimize}' \
        'parameters: {x: {values: [5, 3, 8, 1, 9, 2, 7, 4, 6]}}' >"$kind.yaml"
    check "asha $kind steps: runs" "$THRONG" run -q "$kind.yaml"
    python3 - ".throng/$kind/study.db" >"$kind.out" <<'END'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(
        "select id, state, value, budget from trials order by id"):
    print(row)
END
done
check_contains "asha without steps comes to the last rung" "$(cat without.out)" "91.0"
check_equal "asha is the same with and without steps" "$(cat with.out)" \
    "$(cat without.out)"

# ---- exit code 85 and an interruption ---------------------------------------

cat >back.sh <<'END'
case $THRONG_ATTEMPT in
1) echo 1 >"$THRONG_CHECKPOINT/n"; exit 85 ;;
2) touch here; sleep 60 ;;
3) exit 85 ;;
*) throng report y=1 ;;
esac
END
study back "sh back.sh" 'metric: {name: y, goal: maximize}'
"$THRONG" run -q back.yaml &
conductor=$!
wait_for 60 test -e here
worker=$(cat "/proc/$conductor/task/$conductor/children")
kill -9 $conductor $worker
wait $conductor 2>/dev/null
check "back: runs to its end" "$THRONG" run -q back.yaml
check_equal "an interruption between two equal checkpoints is no failure" "1 1" \
    "$(value back 1)"
