#!/usr/bin/env bash
# What goes wrong around a study on HTCondor: it is said within a minute, in
# HTCondor's own words where it has some, and the study goes on when it is
# mended.
# timeout: 900
# The pool is quick, so that a minute is enough for all of it.
export CONDOR_TEST_FIRST=0.5-1 CONDOR_TEST_PACE=0.1
. "$(dirname "$0")/condor/lib.sh"

study() { # NAME TRIALS SECONDS [MORE]
    cat >"$1.yaml" <<YAML
command: ["sh", "-c", "sleep $3; echo ::throng loss=\$1", "x", "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters:
  x: {distribution: int_uniform, min: 1, max: $2}
${4:-}
YAML
}

start() { # NAME
    "$THRONG" run "$1.yaml" --engine htcondor >"$1.out" 2>&1 &
    conductor=$!
}

# It runs to its end, and every trial is done.
ends_well() { # NAME TRIALS
    wait "$conductor"
    check_equal "$1: it runs to its end" 0 $?
    check_equal "$1: every trial is done" "$2" "$(done_of "$1")"
}

goes_on() { # NAME TRIALS
    run "$THRONG" run "$1.yaml" --engine htcondor
    check_status "$1: after the fix the study goes on" 0
    check_equal "$1: and every trial is done" "$2" "$(done_of "$1")"
}

refuses() { # NAME WORDS
    run "$THRONG" run "$1.yaml" --engine htcondor
    check "$1: it is an error" test "$status" -ne 0
    check_contains "$1: which says why" "$err" "$2"
    check "$1: nothing was left in the queue" none_left
}

says() { # FILE WORDS
    grep -q -- "$2" "$1"
}

# A minute of a machine of our own: on a busy one the queue is asked less often.
said_in_a_minute() { # NAME WHAT WORDS
    if wait_for 60 says "$1.out" "$3"; then
        ok "$1: $2"
    else
        not_ok "$1: $2" "expected to find: $3" "$(cat "$1.out")" "$(jobs_now)"
    fi
}

# ---- files ----------------------------------------------------------------------

echo 'import more' >train.py
echo 'print("::throng loss=1")' >more.py
cat >travel.yaml <<'YAML'
command: [python3, train.py, --with, more.py]
method: grid
metric: {name: loss}
retries: 0
parameters: {x: {values: [1]}}
YAML
run "$THRONG" check travel.yaml --engine htcondor
check_contains "travel: a file that does not travel is named" "$out$err" \
    "more.py lies beside the study"
check_contains "travel: with the fix" "$out$err" 'inputs:'
run "$THRONG" run travel.yaml --engine htcondor
check_equal "travel: without it the trial fails" 0 "$(done_of travel)"
sed -i '2i inputs: [more.py]' travel.yaml
run "$THRONG" run travel.yaml --engine htcondor --retry-failed
[ "$status" -eq 0 ] && [ "$(done_of travel)" = 1 ] || {
    "$THRONG" rm travel -y >/dev/null 2>&1
    run "$THRONG" run travel.yaml --engine htcondor
}
check_equal "travel: with it the trial is done" 1 "$(done_of travel)"

study absolute 2 0 'inputs: [/etc/hostname]'
refuses absolute /etc/hostname
study gone 2 0 'inputs: [gone.dat]'
refuses gone "there is no gone.dat"
study image 2 0 'container: nowhere.sif'
refuses image nowhere.sif

# HTCondor carries no link to a folder, neither there nor back.
mkdir -p elsewhere/deep linked
echo 5 >elsewhere/deep/x.txt
ln -sfn ../elsewhere linked/data
study link 2 0 'inputs: [linked]'
refuses link "linked/data goes to the machines of the pool, and is a link"
rm linked/data
mkdir linked/data
cp elsewhere/deep/x.txt linked/data
ln -s data/x.txt linked/to-a-file
cat >makes-links.sh <<'SH'
read -r x <linked/to-a-file
mkdir -p "$THRONG_OUTPUT/runs/1/deep" "$THRONG_CHECKPOINT/steps/5"
echo "$x" >"$THRONG_OUTPUT/runs/1/deep/x"
ln -s 1 "$THRONG_OUTPUT/runs/latest"
ln -s nowhere "$THRONG_OUTPUT/runs/next"
n=0
while [ "$n" -lt 3 ]; do
    if [ -e "$THRONG_CHECKPOINT/steps/last/n" ]; then
        read -r n <"$THRONG_CHECKPOINT/steps/last/n"
    fi
    n=$((n + 1))
    echo "$n" >"$THRONG_CHECKPOINT/steps/5/n"
    ln -sfn 5 "$THRONG_CHECKPOINT/steps/last"
    if [ "$n" -lt 3 ]; then exit 85; fi
done
echo "::throng loss=$n"
SH
sed -i 's|^command:.*|command: [sh, makes-links.sh]|' link.yaml
goes_on link 2
check_equal "link: what links led to came back" "5 5" \
    "$(cat .throng/link/trials/*/*/output/runs/latest/deep/x | xargs)"
check_equal "link: and so did the links" "1 nowhere" \
    "$(cd .throng/link/trials/0/1/output/runs && readlink latest next | xargs)"
check_equal "link: a checkpoint with one was gone on from" "3 3" \
    "$("$THRONG" export link | tail -n +2 | awk -F, '{ print $3 + 0 }' | xargs)"

# An input that goes away after it was submitted holds a job: 13/2.
echo 1 >short.dat
study withdrawn 2 0 'inputs: [short.dat]'
if stand_in_only "withdrawn: an input that went away"; then
    start withdrawn
    check "withdrawn: it is submitted" wait_for 20 \
        test -s .throng/withdrawn/jobs/1/events.log
    rm short.dat
    said_in_a_minute withdrawn "that it went away is said" "hold 13/2"
    echo 1 >short.dat
    condor_release -constraint true >/dev/null
    ends_well withdrawn 2
fi

# ---- needs that nobody meets -------------------------------------------------------

study need 2 0 'resources: {cpus: 6400}'
refuses need "6400 cpus"
sed -i '/^resources:/d' need.yaml
goes_on need 2

# ---- what HTCondor cannot write -----------------------------------------------------

if stand_in_only "log: an event log that cannot be written" \
    "spool: outputs that cannot be written"; then
    study log 2 0
    "$CONDOR" seal "$pool_folder" logs
    refuses log "events.log"
    "$CONDOR" seal "$pool_folder" nothing
    goes_on log 2

    study spool 2 0
    "$CONDOR" seal "$pool_folder" outputs
    start spool
    said_in_a_minute spool "a job that cannot bring its results is told" \
        "hold 12/13"
    check_contains "spool: with what to do" "$(cat spool.out)" condor_release
    "$CONDOR" seal "$pool_folder" nothing
    wait_for 15 some_are_held
    sleep 1
    condor_release -constraint true >/dev/null
    ends_well spool 2
fi

# ---- an event log that is not what it was ----------------------------------------------

# All at once: each waits for what is asked now and then.
altered="torn rotated garbage"
for name in $altered; do
    study "$name" 4 3
    start "$name"
    eval "of_$name=$conductor"
done
for name in $altered; do
    check "$name: jobs run" wait_for 120 begun "$name" 1
done
printf '001 (99' >>.throng/torn/jobs/1/events.log
mv .throng/rotated/jobs/1/events.log .throng/rotated/jobs/1/events.log.old
printf 'no event\n...\n999 (001.000.000) 2026-11-15 09:26:05 Of the future\n...\n' \
    >>.throng/garbage/jobs/1/events.log
for name in $altered; do
    eval "conductor=\$of_$name"
    ends_well "$name" 4
done

held_job() {
    jobs_now | awk '$2 == 5 { print $1; exit }'
}
is_held() { # JOB
    [ "$(held_job)" = "$1" ]
}
# One that runs, and has not ended before it could be held.
hold_one() { # REASON
    local job
    job=$(running_job)
    [ -n "$job" ] && condor_hold -reason "$1" "$job" >/dev/null 2>&1 &&
        wait_for 5 is_held "$job"
}

# [03e-json-all.log]
study json 4 15 "htcondor: {attributes: ['UserLogUseXML = 2']}"
start json
check "json: a job that runs is held" wait_for 120 hold_one 'for "a" while'
said_in_a_minute json "which is read in the log" 'for "a" while'
check "json: and released" wait_for 15 condor_release "$(held_job)"
ends_well json 4
check_equal "json: its log is JSON" "{" "$(head -c 1 .throng/json/jobs/1/events.log)"

if stand_in_only "older: event logs of an older version"; then
    "$CONDOR" down "$pool_folder"
    rm -rf "$pool_folder"
    CONDOR_TEST_LEGACY=1 "$CONDOR" up "$pool_folder"
    study older 4 0.2
    goes_on older 4
fi

# ---- holds, and a queue that does not answer ---------------------------------------------

study held 2 15
start held
check "held: a job that runs is" wait_for 120 hold_one 'for a while'
said_in_a_minute held "the hold is said, with its reason" "for a while"
check_contains "held: and what lets it go" "$(cat held.out)" condor_release
run "$THRONG" status held
check_contains "held: status says it too" "$out" "for a while"
wait_for 15 condor_release "$(held_job)"
ends_well held 2

mkdir -p broken
cat >broken/condor_q <<'SH'
#!/bin/sh
echo '-- Failed to fetch ads from: <127.0.0.1:9618> : pool1.example.net' >&2
exit 1
SH
chmod +x broken/condor_q
study queue 2 20
PATH=$PWD/broken:$PATH "$THRONG" run queue.yaml --engine htcondor \
    >queue.out 2>&1 &
conductor=$!
said_in_a_minute queue "a condor_q that fails is said, in its words" \
    "Failed to fetch ads"
ends_well queue 2

if stand_in_only "away: a schedd that is down"; then
    study away 2 0
    "$CONDOR" down "$pool_folder"
    start away
    said_in_a_minute away "a schedd that is down is said, in HTCondor's words" \
        "Can't find address of local schedd"
    rm -rf "$pool_folder"
    "$CONDOR" up "$pool_folder"
    ends_well away 2
fi
