#!/usr/bin/env bash
# How tasks end: exit codes, retries, checkpoints, stopping, limits, and what
# is kept of them.
. "$(dirname "$0")/lib.sh"

look() { python3 -S "$ROOT/tests/cli/json_look.py" "$@"; }
export SIDE=$TMP/side
mkdir "$SIDE"

# Runs a shell program (standard input) as a study of one trial; $shown is
# `show --json` of it.
one() { # NAME [LINE...]
    local name=$1
    shift
    cat >"$name.sh"
    printf '%s\n' "name: $name" "command: [sh, $PWD/$name.sh]" 'method: grid' \
        'retry_delay: 0' 'parameters: {a: {value: 1}}' "$@" >"$name.yaml"
    run "$THRONG" run "$name.yaml"
    shown=$("$THRONG" show "$name" 1 --json)
}
trial() { look "d['trials'][0]['trial']['$1']" <<<"$shown"; }
attempts() {
    look "' '.join(str(a['${1:-outcome}']) for a in d['trials'][0]['attempts'])" \
        <<<"$shown"
}

# ---- exit codes ------------------------------------------------------------
one ok <<<'exit 0'
check_equal "0 is done" "0 done done" "$status $(trial state) $(attempts)"
one failing 'retries: 2' <<<'echo attempt $THRONG_ATTEMPT; exit 3'
check_equal "another code is a failure, tried again as often as said" \
    "3 failed failed failed failed" "$status $(trial state) $(attempts)"
check_contains "which is named in the end" "$(trial reason)" "3"
check_equal "logs hold all attempts" "attempt 1
[throng: attempt 2]
attempt 2
[throng: attempt 3]
attempt 3" "$("$THRONG" logs failing)"
one invalid 'retries: 2' <<<'echo "lr must be below 1" >&2; exit 78'
check_equal "78 is invalid, and never tried again" "3 invalid invalid" \
    "$status $(trial state) $(attempts)"
# shellcheck disable=SC2016
one signalled <<<'kill -SEGV $$'
check_equal "a signal is a failure" "failed failed 11" \
    "$(trial state) $(attempts) $(attempts signal)"
check_contains "that is named" "$(trial reason)" "signal 11"
printf '%s\n' 'command: [./no-such-program]' 'method: grid' \
    'retries: 2' 'parameters: {a: {value: 1}}' >spawn.yaml
run "$THRONG" run spawn.yaml
shown=$("$THRONG" show spawn 1 --json)
check_equal "a program that is not there is told apart, and not tried again" \
    "3 failed spawn" "$status $(trial state) $(attempts)"
check_contains "with its name" "$(trial reason)$err" "no-such-program"
# shellcheck disable=SC2016
one missing 'env: {X: "${envvar:NOT_SET_ANYWHERE}"}' <<<'exit 0'
check_contains "so is a variable that is not set" "$(trial reason)$err" \
    "NOT_SET_ANYWHERE"

# ---- checkpoints -----------------------------------------------------------
one ckpt 'metric: {name: n}' 'keep: all' <<'END'
n=$(cat "$THRONG_CHECKPOINT/n" 2>/dev/null || echo 0)
n=$((n + 1))
echo $n >"$THRONG_CHECKPOINT/n"
throng report n=$n step=$n
[ $n -ge 3 ] || exit 85
END
check_equal "85 means: run me again, with my checkpoint" \
    "0 done checkpointed checkpointed done 3.0" \
    "$status $(trial state) $(attempts) $(trial value)"
one stuck <<<'exit 85'
check_equal "two of them without a change count as failed" \
    "failed checkpointed checkpointed" "$(trial state) $(attempts)"
one retried 'retries: 1' <<'END'
[ "$THRONG_ATTEMPT" = 1 ] || { cat "$THRONG_CHECKPOINT/note" >"$SIDE/note"; exit; }
echo "from attempt 1" >"$THRONG_CHECKPOINT/note"
exit 1
END
check_equal "a retry finds the checkpoint" "done from attempt 1" \
    "$(trial state) $(cat "$SIDE/note")"
cat >crash.sh <<'END'
if [ "$THRONG_ATTEMPT" = 1 ]; then
    echo "before the crash" >"$THRONG_CHECKPOINT/note"
    touch "$SIDE/crash"
    sleep 60
fi
cat "$THRONG_CHECKPOINT/note" >"$SIDE/note"
END
sed 's/^name: .*//; s/ok\.sh/crash.sh/' ok.yaml >crash.yaml
"$THRONG" run crash.yaml 2>/dev/null &
pid=$!
wait_for 30 test -e "$SIDE/crash"
kill -KILL $pid
wait $pid 2>/dev/null
run "$THRONG" run crash.yaml
shown=$("$THRONG" show crash 1 --json)
check_equal "so does a run after a crash" "done before the crash" \
    "$(trial state) $(cat "$SIDE/note")"

# ---- stopping --------------------------------------------------------------
# A rule that stops early: the file comes first, SIGTERM after the grace time,
# then SIGKILL.
early='early_terminate: {type: threshold, threshold: 10}'
one polite 'metric: {name: loss}' "$early" 'grace: 20' <<'END'
throng report loss=100
while [ ! -e "$THRONG_STOP" ]; do sleep 0.05; done
throng report loss=99
echo "status $?"
END
check_equal "a program that looks for the file ends by itself" \
    "0 stopped stopped 100.0" "$status $(trial state) $(attempts) $(trial value)"
one silent 'metric: {name: loss}' 'early_terminate: {type: time, time: 100ms}' \
    'grace: 20' <<'END'
while [ ! -e "$THRONG_STOP" ]; do sleep 0.05; done
END
check_equal "time is up for one that reports nothing, too" \
    "stopped by early_terminate time after 0.1 s" \
    "$(trial state) $(trial reason)"
# Each of its attempts is short, and saves.
slices='echo x >>"$THRONG_CHECKPOINT/n"; sleep 0.3; exit 85'
one slices 'resources: {time: 1s}' <<<"$slices"
check_contains "the time of a trial adds over attempts that go on" \
    "$(trial state) $(trial reason)" "ran longer than its limit of 1"
one slices_rule 'metric: {name: loss}' \
    'early_terminate: {type: time, time: 1s}' <<<"$slices"
check_equal "so does the time of a rule" \
    "stopped by early_terminate time after 1 s" \
    "$(trial state) $(trial reason)"
one reported 'metric: {name: loss}' "$early" 'grace: 20' 'keep: all' <<'END'
while throng report loss=100; do sleep 0.05; done
echo "stopped"
END
check_equal "throng report says it with 10" "stopped stopped" \
    "$(trial state) $("$THRONG" logs reported)"
one deaf 'metric: {name: loss}' "$early" 'grace: 3' 'keep: all' <<'END'
trap 'echo "told to end"; exit 0' TERM
throng report loss=100
while :; do sleep 0.05; done
END
check_equal "one that does not gets SIGTERM" "stopped told to end" \
    "$(trial state) $("$THRONG" logs deaf | tail -n 1)"
one stubborn 'metric: {name: loss}' "$early" 'grace: 0.2' <<'END'
trap '' TERM
sh -c 'trap "" TERM; echo $$ >$SIDE/child; while :; do sleep 0.05; done' &
throng report loss=100
while :; do sleep 0.05; done
END
check_equal "and then SIGKILL" "stopped" "$(trial state)"
check_not "with all of its processes" kill -0 "$(cat "$SIDE/child")"

# ---- limits ----------------------------------------------------------------
one slow 'resources: {time: 0.3}' 'grace: 0.2' 'retries: 1' <<<'sleep 60'
check_equal "resources.time ends an attempt" "3 timed_out timed_out" \
    "$status $(trial state) $(attempts)"
check_contains "with the limit in words" "$(trial reason)" "limit of"
if command -v python3 >/dev/null; then
    one hungry 'resources: {memory: 100M}' <<'END'
sh -c 'python3 -c "
import time
x = bytearray(400 << 20)
for i in range(0, len(x), 4096): x[i] = 1
time.sleep(30)"'
exit 0
END
    check_equal "memory beyond the grant ends it" "3 failed" "$status $(trial state)"
    check_matches "and is named as the reason" "$(trial reason)" \
        '^used [0-9.]+ [MG]iB of memory, its grant is 100 MiB'
    check_matches "with the process that held it" "$(trial reason)" 'python3 …'
fi
one flood 'output_max: 100K' 'keep: all' <<'END'
awk 'BEGIN { for (i = 0; i < 100000; i++) print "line", i }'
END
check_equal "a flood of output does no harm" done "$(trial state)"
size=$("$THRONG" logs flood | wc -c)
check "and is cut" test "$size" -lt 120000
check_matches "with a notice" "$("$THRONG" logs flood)" '[Tt]hrong|cut|left out'
# shellcheck disable=SC2016
one daemon <<<'setsid sh -c "echo \$\$ >$SIDE/daemon; sleep 60" </dev/null >/dev/null 2>&1 &
while [ ! -s $SIDE/daemon ]; do sleep 0.02; done'
check_equal "a task that leaves a daemon behind is done" done "$(trial state)"
check_not "and the daemon is gone" kill -0 "$(cat "$SIDE/daemon")"

# ---- the study's own limits ------------------------------------------------
cat >all.yaml <<'END'
command: [sh, -c, 'echo "the data are missing: $THRONG_TRIAL" >&2; exit 1']
method: random
run_cap: 1000
parallel: 2
parameters: {x: {min: 0.0, max: 1.0}}
END
run "$THRONG" run all.yaml
check_status "when the first trials all fail the study ends early" 3
check_contains "and says so" "$err" "the first trials all failed"
check_contains "with the last lines of one" "$err" "the data are missing"
check "after a few" test "$("$THRONG" status --json | look 'd["trials"]')" -lt 100
sed 's/run_cap: 1000/run_cap: 30/' all.yaml >going.yaml
run "$THRONG" run going.yaml --keep-going
check_equal "--keep-going goes on" "3 30" \
    "$status $("$THRONG" status going --json | look 'd["states"]["failed"]')"
cat >some.yaml <<'END'
command: [sh, -c, 'exit $((THRONG_TRIAL % 2))']
method: random
run_cap: 1000
max_failures: 3
parallel: 1
parameters: {x: {min: 0.0, max: 1.0}}
END
run "$THRONG" run some.yaml
check_status "max_failures ends a study" 3
check_contains "and is named" "$err" "max_failures"
cat >time.yaml <<'END'
command: [sleep, '60']
method: random
run_cap: 10
time_limit: 0.5
grace: 0.2
parameters: {x: {min: 0.0, max: 1.0}}
END
run timeout 200 "$THRONG" run time.yaml
check_contains "time_limit ends a study" "$err" "time limit"
cat >target.yaml <<'END'
command: [throng, report, 'loss={x}']
method: points
points: [{x: 3}, {x: 1}, {x: 2}, {x: 4}, {x: 5}, {x: 6}, {x: 7}, {x: 8}]
parallel: 1
metric: {name: loss, target: 1}
END
run "$THRONG" run target.yaml
check_contains "metric.target ends a study" "$err" "target is reached"
check "before its end" test "$("$THRONG" status target --json | look 'd["states"]["done"]')" -lt 8

# ---- what is kept ----------------------------------------------------------
cat >keep.yaml <<'END'
command: [sh, -c, 'echo model {x} >$THRONG_OUTPUT/model; echo saying {x}; throng report loss={x}; [ {x} != 9 ]']
method: points
points: [{x: 3}, {x: 1}, {x: 2}, {x: 9}]
metric: {name: loss}
keep: best:2
END
kept() { # STUDY
    "$THRONG" show "$1" all --json |
        look '" ".join("%d:%d" % (t["trial"]["id"], len(t["outputs"]))
            for t in d["trials"])'
}
run "$THRONG" run keep.yaml
check_equal "keep: best:2 keeps the outputs of two, and of what has no value" "1:0 2:1 3:1 4:1" "$(kept keep)"
check_contains "one line says what was removed" "$err" "removed what 1 trial left (8 B), as \`keep: best:2\` says"
check_contains "and how it stays" "$err" "logs stay, and without \`keep:\` all does"
check_equal "with their content" "model 1" \
    "$(cat "$("$THRONG" show keep 2 --json | look 'd["trials"][0]["folder"]')/output/model")"
check_contains "and the logs of failures" "$("$THRONG" logs keep 4)" "saying 9"
check_equal "the log of a trial whose outputs went stays" "saying 3" "$("$THRONG" logs keep 1 | sed -n '/saying/p')"
run "$THRONG" run keep.yaml
check_not "nothing is said to be removed twice" grep -q "removed what" .err
sed 's/best:2/all/' keep.yaml >keepall.yaml
run "$THRONG" run keepall.yaml
check_equal "keep: all keeps all" "1:1 2:1 3:1 4:1" "$(kept keepall)"
sed -i 's/keep: all/keep: best:1/' keepall.yaml
run "$THRONG" run keepall.yaml
check_equal "a smaller keep: removes what an earlier run kept" "1:0 2:1 3:0 4:1" "$(kept keepall)"
sed 's/best:2/none/' keep.yaml >keepnone.yaml
run "$THRONG" run keepnone.yaml
check_equal "keep: none keeps none that has a value" "1:0 2:0 3:0 4:1" "$(kept keepnone)"
check_equal "but their logs" 4 "$("$THRONG" logs keepnone all | grep -c saying)"
sed '/^keep/d' keep.yaml >keepunsaid.yaml
for i in $(seq 20); do echo "  - {x: 1$i}"; done >more
sed -i -e '/^points/{s/.*/points:/;r more' -e '}' keepunsaid.yaml
run "$THRONG" run keepunsaid.yaml
check_equal "a study that says no keep: keeps everything" 20 "$(kept keepunsaid | grep -o ':1' | wc -l)"
check_not "and removes nothing" grep -q "removed" .err
sed '/^metric/d; s/throng report loss={x}; //' keep.yaml >keepmute.yaml
run "$THRONG" run keepmute.yaml
check_equal "where no metric is named nothing goes" "1:1 2:1 3:1 4:1" "$(kept keepmute)"
sed 's/throng report loss={x}/throng report loss=nan/' keep.yaml >keepnan.yaml
run "$THRONG" run keepnan.yaml
check_equal "nor of trials whose value is no number" "1:1 2:1 3:1 4:1" "$(kept keepnan)"

# Of two metrics: trial 3 has the second best first one, and is dominated; 4
# and 5 are not.
cat >keepfront.yaml <<'END'
command: [sh, -c, 'echo model >$THRONG_OUTPUT/model; throng report a={a} b={b}']
method: points
points: [{a: 9, b: 9}, {a: 1, b: 5}, {a: 2, b: 6}, {a: 3, b: 4}, {a: 8, b: 0}]
metrics: [{name: a}, {name: b}]
keep: best:3
END
run "$THRONG" run keepfront.yaml
check_equal "of several metrics the Pareto set is kept, as rank has it" "1:0 2:1 3:0 4:1 5:1" "$(kept keepfront)"
run "$THRONG" rank keepfront --json
check_equal "which best:N names in rank's order" "$(look '[t["id"] for t in d["trials"]]' <.out)" \
    "$("$THRONG" export keepfront --jsonl best:5 | python3 -c 'import json, sys; print([json.loads(l)["id"] for l in sys.stdin])')"
check_equal "and worst:N from its end" "[1, 3]" \
    "$("$THRONG" export keepfront --jsonl worst:2 | python3 -c 'import json, sys; print([json.loads(l)["id"] for l in sys.stdin])')"

cat >mute.yaml <<'END'
command: "true"
method: grid
parameters: {a: {min: 1, max: 9}}
END
run "$THRONG" run mute.yaml
run "$THRONG" logs mute all
check_equal "trials without a log are named, and then counted" 4 "$(wc -l <<<"$err")"
check_contains "how many there are" "$err" "6 more of them have no log"
