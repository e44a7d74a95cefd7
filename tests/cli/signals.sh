#!/usr/bin/env bash
# Ctrl-C, SIGTERM, SIGHUP, stop and kill, of studies and of trials.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
states() { # STUDY [TRIALS]
    run "$THRONG" export "$1" "${2:-all}" --jsonl
    json '" ".join(t["state"] for t in (d if isinstance(d, list) else [d]))'
}

# A trial says that it started, and ends when it may. The time of grace is only
# for those that do not end by themselves; these all do, sooner or later.
cat >study.yaml <<'END'
command: [sh, task.sh]
method: grid
parallel: 2
grace: 60
metric: {name: loss}
parameters: {a: {values: [1, 2, 3]}}
END
cat >task.sh <<'END'
throng report loss="$THRONG_P_a"
touch "$SIDE/started.$THRONG_TRIAL.$THRONG_ATTEMPT"
echo $$ >"$SIDE/pid.$THRONG_TRIAL"
while [ ! -e "$SIDE/go" ]; do
    [ ! -e "$THRONG_STOP" ] || { throng report loss=0; exit 0; }
    sleep 0.05
done
END

begin() { # STUDY: runs it in the background until two trials run
    export SIDE=$TMP/side.$1
    mkdir -p "$SIDE"
    "$THRONG" run study.yaml --new "$1" >"$1.out" 2>"$1.err" &
    pid=$!
    wait_for 30 test -e "$SIDE/started.1.1" -a -e "$SIDE/started.2.1"
}
said() { grep -q "$2" "$1.err"; }
# The worker and its tasks do not outlive the conductor.
gone() { ! kill -0 "$(cat "$SIDE/pid.$1")" 2>/dev/null; }

begin once
kill -INT $pid
wait_for 30 said once "running trials finish"
touch "$SIDE/go"
wait $pid
check_equal "after one Ctrl-C it ends with 130" 130 $?
check_not "no more trials have started" test -e "$SIDE/started.3.1"
check_equal "running ones have finished" "done done" \
    "$(states once 1-2)"
check_contains "and how to go on is said" "$(cat once.err)" \
    "\`throng run study.yaml --new once\` goes on"
run "$THRONG" run study.yaml --new once
check_status "the next run goes on" 0
check_equal "with the rest" "done done done" "$(states once)"

begin twice
kill -INT $pid
wait_for 30 said twice "press Ctrl-C again"
kill -INT $pid
wait $pid
check_equal "after two it ends with 130 too" 130 $?
check "its tasks are gone" gone 1
check_equal "and their trials wait" "waiting waiting" "$(states twice 1-2)"
touch "$SIDE/go"
run "$THRONG" run study.yaml --new twice
check_equal "the next run finishes them" "0 done done done" "$status $(states twice)"
run "$THRONG" show twice 1 --json
check_equal "in a second attempt; the first used up no retry" \
    "interrupted done" "$(json \
        '" ".join(a["outcome"] for a in d["trials"][0]["attempts"])')"

# A worker that is stopped answers nobody. What it has to say is not waited for.
begin stuck
kill -STOP "$(pgrep -P $pid -f throng-worker)"
kill -INT $pid
wait_for 30 said stuck "press Ctrl-C again"
began=$(date +%s)
kill -INT $pid
wait $pid
check_equal "two Ctrl-C end a study whose worker is stopped" 130 $?
check "soon" test $(($(date +%s) - began)) -lt 50
check "with its tasks" gone 1
check_equal "whose trials wait" "waiting waiting" "$(states stuck 1-2)"
touch "$SIDE/go"
run "$THRONG" run study.yaml --new stuck
check_equal "the next run finishes them too" "0 done done done" "$status $(states stuck)"

# Tasks that ignore all signals but the last have a minute of grace, from those
# who do not ask twice.
begin deaf
kill -INT $pid
wait_for 30 said deaf "press Ctrl-C again"
kill -STOP "$(cat "$SIDE/pid.1")" "$(cat "$SIDE/pid.2")"
began=$(date +%s)
kill -INT $pid
wait $pid
check_equal "a second Ctrl-C ends it with 130, whatever tasks do" 130 $?
check "without waiting for the time of grace" test $(($(date +%s) - began)) -lt 50
check "and none of them is left" gone 1
check "nor the other" gone 2
check_equal "their trials wait" "waiting waiting" "$(states deaf 1-2)"
touch "$SIDE/go"
run "$THRONG" run study.yaml --new deaf
check_equal "and the next run finishes them" "0 done done done" "$status $(states deaf)"
run "$THRONG" show deaf 1 --json
check_equal "the attempt was interrupted" "interrupted done" "$(json \
    '" ".join(a["outcome"] for a in d["trials"][0]["attempts"])')"

begin thrice
kill -INT $pid
wait_for 30 said thrice "press Ctrl-C again"
kill -STOP "$(cat "$SIDE/pid.1")" "$(cat "$SIDE/pid.2")"
kill -INT $pid
wait_for 30 said thrice "at once"
began=$(date +%s)
kill -INT $pid
wait $pid
check_equal "a third Ctrl-C ends it with 130 as well" 130 $?
check "without waiting for the time of grace" test $(($(date +%s) - began)) -lt 50
check_equal "and its trials wait" "waiting waiting" "$(states thrice 1-2)"

begin term
kill -TERM $pid
wait $pid
check_equal "SIGTERM ends at once with 130" 130 $?
check_equal "and loses nothing" "waiting waiting" "$(states term 1-2)"
check "its tasks are gone as well" gone 2

# One who asked for silence gets it, whatever happens.
sed 's/^method.*/method: random/; s/^param.*/parameters: {a: {min: 0.0, max: 1.0}}/' \
    study.yaml >quiet.yaml
export SIDE=$TMP/side.quiet
mkdir -p "$SIDE"
"$THRONG" run -q quiet.yaml --fix a=0.5 --new quiet 2>quiet.err &
pid=$!
wait_for 30 test -e "$SIDE/started.1.1" -a -e "$SIDE/started.2.1"
kill -INT $pid
kill -TERM $pid
wait $pid
check_equal "run -q ends in the same way" 130 $?
check_equal "and says nothing" "" "$(cat quiet.err)"

begin hup
kill -HUP $pid
sleep 0.3
check "SIGHUP does not stop a study" kill -0 $pid
touch "$SIDE/go"
wait $pid
check_equal "which finishes" 0 $?
check_equal "all of it" "done done done" "$(states hup)"
check_contains "what it says still goes to its file" "$(cat hup.err)" "3/3 done"

# A terminal that goes away takes all of its programs with it, but not a study.
if command -v script >/dev/null; then
    export SIDE=$TMP/side.gone
    mkdir -p "$SIDE"
    script -qec "$THRONG run study.yaml --new gone" /dev/null </dev/null \
        >/dev/null 2>&1 &
    pid=$!
    wait_for 30 test -e "$SIDE/started.1.1" -a -e "$SIDE/started.2.1"
    kill -KILL $pid
    wait $pid 2>/dev/null
    sleep 0.3
    touch "$SIDE/go"
    finished() { ! "$THRONG" status gone --json | grep -q '"running":true'; }
    check "a terminal that goes away does not stop a study" wait_for 30 finished
    check_equal "which finishes by itself" "done done done" "$(states gone)"
else
    skip "a terminal that goes away" "there is no script program here"
fi

# ---- while a study is opened -----------------------------------------------
mkdir -p opening/.git opening/bin
cp study.yaml task.sh opening
cat >opening/bin/git <<'END'
#!/bin/sh
touch "$SIDE/in-git"
while [ ! -e "$SIDE/git-go" ]; do sleep 0.05; done
exit 1
END
chmod +x opening/bin/git
opening() { # NAME SIGNAL: comes while the study is opened
    export SIDE=$TMP/side.$1
    mkdir -p "$SIDE"
    touch "$SIDE/go"
    PATH=$TMP/opening/bin:$PATH "$THRONG" run opening/study.yaml --new "$1" \
        2>"$1.err" &
    pid=$!
    wait_for 30 test -e "$SIDE/in-git"
    kill -"$2" $pid
    touch "$SIDE/git-go"
    wait $pid
}
for signal in INT TERM; do
    opening early-$signal $signal
    check_equal "SIG$signal while it is opened ends it with 130" 130 $?
    check_not "before anything has started" test -e "$SIDE/started.1.1"
    check_contains "which is said" "$(cat early-$signal.err)" "before anything"
    run "$THRONG" run opening/study.yaml --new early-$signal
    check_status "the next run begins" 0
done
opening early-hup HUP
check_equal "SIGHUP does not stop a study that is opened" 0 $?
check_equal "it runs to its end" "done done done" \
    "$(states opening/.throng/early-hup)"

# ---- stop and kill ---------------------------------------------------------
begin stop
run "$THRONG" stop stop
check_status "a running study can be asked to stop" 0
wait_for 30 said stop "asked to stop"
touch "$SIDE/go"
wait $pid
check_equal "and ends well" 0 $?
check_equal "when its running trials have finished" "done done" "$(states stop 1-2)"
run "$THRONG" stop stop
check_status "stopping it again is no error" 0
check_contains "but said" "$err" "not running"

begin stale
kill -STOP $pid
run "$THRONG" stop stale
kill -KILL $pid
wait $pid 2>/dev/null
touch "$SIDE/go"
run "$THRONG" run study.yaml --new stale
check_equal "what a dead conductor did not hear does not stop the next one" \
    "0 done done done" "$status $(states stale)"

begin kill
run "$THRONG" kill kill
check_status "a running study can be killed" 0
wait $pid
check_equal "and ends interrupted" 130 $?
check_equal "its trials wait" "waiting waiting" "$(states kill 1-2)"
run "$THRONG" kill kill 1
check_status "a waiting trial can be killed, with nobody running it" 0
check_contains "which says how many it were" "$err" "1 trial ended"
run "$THRONG" stop kill 2
check_equal "or stopped" "killed stopped" "$(states kill 1-2)"
run "$THRONG" kill kill 1-2
check_contains "what has ended stays so" "$err" "had ended before"
run "$THRONG" kill kill 99
check_status "a trial that is not there cannot be killed" 4
run "$THRONG" kill kill failed
check_status "nor one in a state that none is in" 4

are() { [ "$(states "$1")" = "$2" ]; }
begin some
run "$THRONG" kill some 1
check "a running trial can be killed alone" \
    wait_for 30 are some "killed running running"
run "$THRONG" stop some 2
check "or stopped: it is asked through its file" \
    wait_for 30 are some "killed stopped running"
run "$THRONG" show some 2 --json
check_equal "and what it reported then counts" 0.0 \
    "$(json 'd["trials"][0]["trial"]["value"]')"
check_equal "with what stopped it" "by request" \
    "$(json 'd["trials"][0]["trial"]["reason"]')"
touch "$SIDE/go"
wait $pid
check_equal "the study goes on, and killed trials are no failures" 0 $?

# A worker that does not answer shall not have done so before both die.
begin wish
worker=$(pgrep -P $pid -f throng-worker)
kill -STOP "$worker"
run "$THRONG" kill wish 1
check_status "a kill is taken while the worker does not answer" 0
run "$THRONG" stop wish 2
check_status "a stop as well" 0
heard() { ! ls .throng/wish/requests/*.json; }
check "the conductor has heard of both" wait_for 30 heard
kill -KILL $pid "$worker"
wait $pid 2>/dev/null
touch "$SIDE/go"
run "$THRONG" run study.yaml --new wish
check_equal "both outlive conductor and worker" "killed stopped done" \
    "$(states wish)"
check_equal "and nothing of them runs again" "" \
    "$(ls "$SIDE" | grep 'started\.[12]\.2')"

# ---- following a log -------------------------------------------------------
cat >task.sh <<'END'
echo first
touch "$SIDE/started.$THRONG_TRIAL.$THRONG_ATTEMPT"
while [ ! -e "$SIDE/go" ]; do sleep 0.05; done
echo last
END
begin follow
"$THRONG" logs follow -f 1 >followed &
reader=$!
check "logs -f prints what is there" wait_for 30 grep -q first followed
check "and waits for more" kill -0 $reader
touch "$SIDE/go"
wait $reader
check_equal "until the trial ends" "0 first last" "$? $(paste -sd' ' followed)"
wait $pid
begin several
"$THRONG" logs several -f 1-2 >followed &
reader=$!
two_firsts() { [ "$(grep -c first followed)" = 2 ]; }
check "logs -f of several follows all" wait_for 30 two_firsts
touch "$SIDE/go"
wait $reader
check_equal "until all have ended" 0 $?
check_equal "with a title whenever another one speaks" "1: first last
2: first last" "$(awk '/^==>/ { trial = $3; next }
    { said[trial] = said[trial] " " $0 }
    END { print "1:" said[1]; print "2:" said[2] }' followed)"
wait $pid
begin cut
kill -KILL $pid
wait $pid 2>/dev/null
run timeout 200 "$THRONG" logs cut -f 1
check_status "logs -f does not wait for a study that nobody runs" 0
check_contains "and says why" "$err" "nobody runs"
