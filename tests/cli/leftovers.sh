#!/usr/bin/env bash
# What a killed throng leaves on its machine is gone after the next run:
# processes, whatever they hide behind, and files.
. "$(dirname "$0")/lib.sh"

started=()
end_started() {
    local pid
    for pid in "${started[@]}" $(cat pids 2>/dev/null); do
        kill -9 "$pid" 2>/dev/null
    done
}
trap 'code=$?; end_started; (exit $code); finish' EXIT

runs() { # PID: and is no zombie that nobody waits for
    [[ $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) == [!ZX]* ]]
}
# Twice: once trials would finish. The second must not come before the first
# was heard, since two that wait are one.
interrupt() { # PID FILE: what it says
    kill -INT "$1"
    wait_for 60 grep -q "press Ctrl-C again" "$2"
    kill -INT "$1"
    wait "$1"
}
lines() { [ "$(wc -l <"$1" 2>/dev/null || echo 0)" -ge "$2" ]; }

# ---- processes --------------------------------------------------------------

# Its work is done by a program that was given a clean environment.
cat >s.yaml <<END
method: grid
command: [sh, -c, 'env -i PATH="$PATH" sh $TMP/work.sh; echo ::throng y=1']
parameters: {a: {values: [1]}}
metric: {name: y}
END
cat >work.sh <<END
echo \$\$ >>$TMP/pids
while [ ! -e $TMP/go ]; do sleep 0.05; done
END
"$THRONG" run s.yaml >/dev/null 2>&1 &
pid=$!
started+=("$pid")
wait_for 60 lines pids 1
recorded() { # the store knows who leads the session
    [ "$(sqlite3 .throng/s/study.db 'select pid > 0 from attempts')" = 1 ]
}
wait_for 60 recorded
# A worker that dies first takes the leaders of its tasks' sessions along.
kill_both "$pid"
wait "$pid" 2>/dev/null
check "what both leave lives on" runs "$(head -n 1 pids)"
"$THRONG" run s.yaml >/dev/null 2>said &
pid=$!
started+=("$pid")
wait_for 60 lines pids 2
check_not "and is ended before the next attempt begins" \
    runs "$(head -n 1 pids)"
touch go
wait "$pid"
check_equal "which comes to its end" 0 $?

# The same at the very beginning, when hardly a conductor can have written the
# pid down: the task stops it at once. A run that is refused changes nothing.
cat >early.yaml <<END
method: grid
command: [sh, -c, '[ -e again ] ||
    kill -STOP \$(sed "s/.*) . //; s/ .*//" /proc/\$PPID/stat);
    env -i PATH="$PATH" sh $TMP/early.sh & wait; echo ::throng y=1']
parameters: {a: {values: [1]}}
metric: {name: y}
END
cat >early.sh <<END
echo \$\$ >>$TMP/early-pids
while [ ! -e $TMP/early-go ]; do sleep 0.05; done
END
"$THRONG" run early.yaml >/dev/null 2>&1 &
pid=$!
started+=("$pid")
wait_for 60 lines early-pids 1
started+=("$(head -n 1 early-pids)")
kill_both "$pid"
wait "$pid" 2>/dev/null
check "what it started outlives all" runs "$(head -n 1 early-pids)"
sed -i 's/values: .1./values: [1, 2]/' early.yaml
run "$THRONG" run early.yaml
check_status "a run with another study file is refused" 1
touch again
sed -i 's/values: .1, 2./values: [1]/' early.yaml
"$THRONG" run early.yaml >/dev/null 2>said &
pid=$!
started+=("$pid")
wait_for 60 lines early-pids 2
check_not "a good run ends what the first one left" \
    runs "$(head -n 1 early-pids)"
touch early-go
wait "$pid"
check_equal "and comes to its end" 0 $?

# One that has also left the session of its task, and whose starter is gone. The
# worker sees it when it looks around, and writes it down.
cat >away.yaml <<END
method: grid
command: [sh, -c, 'env -i PATH="$PATH" setsid sh $TMP/away.sh;
    while [ ! -e away-go ]; do sleep 0.05; done; echo ::throng y=1']
parameters: {a: {values: [1]}}
metric: {name: y}
END
cat >away.sh <<END
[ "\$1" = far ] || { env -i PATH="$PATH" setsid sh \$0 far & exit; }
echo \$\$ >>$TMP/away-pids
while [ ! -e $TMP/away-go ]; do sleep 0.05; done
END
"$THRONG" run away.yaml >/dev/null 2>&1 &
pid=$!
started+=("$pid")
wait_for 60 lines away-pids 1
started+=("$(head -n 1 away-pids)")
noted() { # among the leaders of sessions
    od -An -v -t u8 .throng/away/last-words/*.leaders |
        grep -qw "$(head -n 1 away-pids)"
}
check "what leads a session of its own is written down" wait_for 60 noted
kill_both "$pid"
wait "$pid" 2>/dev/null
check "it outlives all" runs "$(head -n 1 away-pids)"
"$THRONG" run away.yaml >/dev/null 2>said &
pid=$!
started+=("$pid")
wait_for 60 lines away-pids 2
check_not "and is ended before the next attempt begins" \
    runs "$(head -n 1 away-pids)"
touch away-go
wait "$pid"
check_equal "which ends well" 0 $?
check_equal "and leaves no file" "" "$(ls .throng/away/last-words 2>/dev/null)"

# ---- files ------------------------------------------------------------------

check_equal "no last words are left" "" "$(ls .throng/s/last-words 2>/dev/null)"
run "$THRONG" run s.yaml
check_contains "a run with nothing to do" "$err" "nothing was left to do"
check_equal "leaves none either" "" "$(ls .throng/s/last-words 2>/dev/null)"

dead=$(sh -c 'echo $$')
touch .throng/s/study.db.new-"$dead" .throng/s/study.db.new-"$dead"-journal \
    .throng/s/.throng-"$dead"-0a0b0c0d.tmp
mkdir -p .throng/.removed-"$dead"-old/trials
touch -d '1 hour ago' .throng/s/requests/.throng-"$dead"-01020304.tmp
run "$THRONG" run s.yaml
check_equal "what killed ones left half made is gone" "" \
    "$(cd .throng && find . -name '*.new-*' -o -name '*.tmp' -o -name '.removed*')"

# ---- trials that the store has forgotten --------------------------------------

# A power cut takes back the rows of the last second, but not the folders.
cat >f.yaml <<'END'
method: grid
command: [sh, -c, 'ls "$THRONG_CHECKPOINT" >"seen-$THRONG_TRIAL";
    echo "$THRONG_TRIAL" >>begun;
    while [ ! -e go-on ]; do sleep 0.05; done; echo ::throng y=1']
parameters: {a: {values: [1, 2, 3]}}
metric: {name: y}
parallel: 1
END
"$THRONG" run f.yaml >/dev/null 2>&1 &
pid=$!
started+=("$pid")
wait_for 60 lines begun 1
kill_both "$pid"
wait "$pid" 2>/dev/null
mkdir -p .throng/f/trials/0/3/checkpoint
echo 7 >.throng/f/trials/0/3/checkpoint/n
touch go-on
run "$THRONG" run f.yaml
check_status "a study goes on beside the folder of a trial it does not know" 0
check_equal "the trial that gets its number finds none of it" "" "$(cat seen-3)"
check_equal "which is set aside" 7 \
    "$(cat .throng/f/trials/0/3.forgotten-1/checkpoint/n)"
check_contains "and said" "$err" "1 folder of trials that the store does not"

# ---- trials that a person ends before the next run ----------------------------

cat >w.yaml <<'END'
method: grid
command: [sh, -c, 'throng report y=5; throng report y=4; echo >>said; sleep 300']
parameters: {a: {values: [1, 2]}}
metric: {name: y}
parallel: 2
END
"$THRONG" run w.yaml >/dev/null 2>&1 &
pid=$!
started+=("$pid")
wait_for 60 lines said 2
has_both() {
    [ "$("$THRONG" export w --jsonl | grep -c '"last":4.0')" -eq 2 ]
}
wait_for 60 has_both
kill_both "$pid"
wait "$pid" 2>/dev/null
run "$THRONG" stop w 1
check_status "a trial that ran when both died can be stopped" 0
check_contains "which is said to happen with the next run" "$err" \
    "1 was cut off while running, and ends with the next run"
run "$THRONG" kill w 2
check_contains "and killed" "$err" "ends with the next run"
run "$THRONG" run w.yaml
check_equal "what the stopped one reported counts" "stopped 4.0 killed" \
    "$("$THRONG" export w --jsonl | python3 -c 'import json, sys
a, b = map(json.loads, sys.stdin)
print(a["state"], a["value"], b["state"])')"
check_not "no attempt is left open" \
    sh -c "'$THRONG' show w all | grep -q '^  1  running'"

# Reports that nobody has taken in when both die: the first trial writes them into
# its metrics file, the second prints them.
cat >u.yaml <<'END'
method: grid
command: [sh, u.sh]
parameters: {a: {values: [1, 2]}}
metric: {name: y}
parallel: 2
END
cat >u.sh <<'END'
echo >>u-begun
say() { if [ "$THRONG_P_a" = 1 ]; then throng report y=$1; else echo "::throng y=$1"; fi; }
say 5
while [ ! -e u-frozen ]; do sleep 0.05; done
say 3
echo >>u-said
sleep 300
END
"$THRONG" run u.yaml >/dev/null 2>&1 &
pid=$!
started+=("$pid")
has_first() {
    [ "$("$THRONG" export u --jsonl | grep -c '"last":5.0')" -eq 2 ]
}
wait_for 60 has_first
worker=$(kids "$pid")
kill -STOP "$pid" $worker
touch u-frozen
wait_for 60 lines u-said 2
kill -9 "$pid" $worker
wait "$pid" 2>/dev/null
run "$THRONG" stop u all
run "$THRONG" run u.yaml
check_status "a run that only reads what stopped trials left ends well" 0
check_equal "what nobody had read counts" "stopped 3.0 stopped 3.0" \
    "$("$THRONG" export u --jsonl | python3 -c 'import json, sys
print(*(w for t in map(json.loads, sys.stdin) for w in (t["state"], t["value"])))')"
check_equal "and no program was started for it" 2 "$(wc -l <u-begun)"

# The time of early_terminate is over, and its worker dies before the task is done.
cat >o.yaml <<'END'
method: grid
command: [sh, o.sh]
parameters: {a: {values: [1]}}
metric: {name: y}
early_terminate: {type: time, time: 3s}
grace: 200s
END
cat >o.sh <<'END'
echo '{"y": 5}' >>"$THRONG_METRICS"
echo >>o-begun
while [ ! -e "$THRONG_STOP" ]; do sleep 0.05; done
echo >>o-asked
while [ ! -e o-frozen ]; do sleep 0.05; done
echo '{"y": 3}' >>"$THRONG_METRICS"
echo >>o-said
sleep 300
END
"$THRONG" run o.yaml >/dev/null 2>&1 &
pid=$!
started+=("$pid")
wait_for 60 lines o-asked 1
worker=$(kids "$pid")
kill -STOP $worker
touch o-frozen
wait_for 60 lines o-said 1
kill -9 $worker
wait "$pid"
check_equal "what a rule had stopped is read, too" \
    "stopped 3.0 by early_terminate time" \
    "$("$THRONG" export o --jsonl | python3 -c 'import json, sys
t = json.load(sys.stdin)
print(t["state"], t["value"], t["reason"][:23])')"
check_equal "and not run again" 1 "$(wc -l <o-begun)"

# Its worker dies, and throng is interrupted before there is another attempt.
cat >q.yaml <<'END'
method: grid
command: [sh, q.sh]
parameters: {a: {values: [1]}}
metric: {name: y}
grace: 0s
END
cat >q.sh <<'END'
echo '{"y": 5}' >>"$THRONG_METRICS"
echo >>q-begun
while [ ! -e q-frozen ]; do sleep 0.05; done
echo '{"y": 3}' >>"$THRONG_METRICS"
echo >>q-said
sleep 300
END
"$THRONG" run q.yaml >/dev/null 2>q-talk &
pid=$!
started+=("$pid")
has_five() { "$THRONG" export q --jsonl | grep -q '"last":5.0'; }
wait_for 60 has_five
worker=$(kids "$pid")
kill -STOP $worker
touch q-frozen
wait_for 60 lines q-said 1
interrupt "$pid" q-talk
check_equal "a trial whose worker was lost waits" waiting \
    "$("$THRONG" export q --jsonl | python3 -c 'import json, sys
print(json.load(sys.stdin)["state"])')"
run "$THRONG" stop q 1
check_contains "it cannot be stopped before it was read" "$err" \
    "1 was cut off while running, and ends with the next run"
run "$THRONG" run q.yaml
check_equal "stopped with nobody running, it is read, too" "stopped 3.0" \
    "$("$THRONG" export q --jsonl | python3 -c 'import json, sys
t = json.load(sys.stdin)
print(t["state"], t["value"])')"
check_equal "and no program is started" 1 "$(wc -l <q-begun)"

# ---- trials that wait, with nobody running -----------------------------------

# They reported, and were interrupted.
cat >v.yaml <<'END'
method: grid
command: [sh, -c, 'throng report y=5 z=1; throng report y=4 z={a}; echo >>v-said; sleep 300']
parameters: {a: {values: [1, 2, 3]}}
grid: {order: written}
metric: {name: y}
constraints: [{name: z, max: 2}]
parallel: 3
grace: 0s
END
"$THRONG" run v.yaml >/dev/null 2>v-talk &
pid=$!
started+=("$pid")
wait_for 60 lines v-said 3
"$THRONG" status v >/dev/null
interrupt "$pid" v-talk
run "$THRONG" stop v 1,3
check_status "trials that wait can be stopped with nobody running" 0
run "$THRONG" kill v 2
check_equal "a stopped one has the value of its reports, if it may be used" \
    "stopped 4.0 killed None stopped None" \
    "$("$THRONG" export v --jsonl | python3 -c 'import json, sys
print(*(w for t in map(json.loads, sys.stdin) for w in (t["state"], t["value"])))')"
