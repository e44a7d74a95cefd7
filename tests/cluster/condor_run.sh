# A study on HTCondor: each trial once, whatever happens to its jobs.
# timeout: 600
# A submission begins after 1 to 2 s, to be quick: a real one takes 3 to 10.
export CONDOR_TEST_FIRST=1-2
. "$(dirname "$0")/condor/lib.sh"

study() { # NAME TRIALS SECONDS
    cat >"$1.yaml" <<YAML
command: ["sh", "-c", "sleep $3; echo ::throng loss=\$1", "x", "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters:
  x: {distribution: int_uniform, min: 1, max: $2}
htcondor: {look: 1}
YAML
}

# The value of each trial is its point.
each_once() { # STUDY TRIALS
    check_equal "$1: every trial is done, once" "$2 $2" \
        "$(ask "$1" 'select count(*), count(distinct id) from trials
            where state = 3' | tr '|' ' ')"
    check_equal "$1: every trial has its own result" "$(seq "$2")" \
        "$(values "$1")"
}

values() { # STUDY: of the objective, in order
    "$THRONG" export "$1" | tail -n +2 | awk -F, '{ print $3 + 0 }' | sort -n
}

# ---- it runs ------------------------------------------------------------------

study plain 60 0.05
run "$THRONG" run plain.yaml --engine htcondor
check_status "plain: it runs to its end" 0
each_once plain 60
check "plain: no job is left" wait_for 120 none_left
check_contains "plain: its description stays" "$(ls .throng/plain/jobs/1)" \
    job.sub
run "$THRONG" run plain.yaml --engine htcondor
check_status "plain: run again, there is nothing to do" 0

# ---- files travel, and come back ------------------------------------------------

mkdir -p code data
cat >code/train.sh <<'SH'
echo "::throng loss=$(($(cat data/x.txt) * $1))"
echo "made of $1" >"$THRONG_OUTPUT/made.txt"
echo "seen as $PWD" >kept.txt
SH
echo 7 >data/x.txt
cat >files.yaml <<'YAML'
command: [sh, code/train.sh, "{x}"]
inputs: [data]
outputs: [kept.txt]
method: grid
metric: {name: loss}
parameters: {x: {values: [2, 3, 5]}}
htcondor: {look: 1}
YAML
run "$THRONG" run files.yaml --engine htcondor
check_status "files: program and inputs travel" 0
check_equal "files: with what was in them" "14 21 35" \
    "$(values files | xargs)"
check_equal "files: what a trial leaves comes back" 3 \
    "$(find .throng/files/trials -name made.txt | wc -l)"
check_equal "files: and what it names" 3 \
    "$(find .throng/files/trials -name kept.txt | wc -l)"
check_lacks "files: it did not run here" \
    "$(find .throng/files/trials -name kept.txt -exec cat {} +)" \
    "seen as $PWD"

# ---- a rule that travels ---------------------------------------------------------

cat >count.sh <<'SH'
n=0
while [ "$n" -lt 400 ] && [ ! -e "$THRONG_STOP" ]; do
    n=$((n + 1))
    echo "::throng step=$n loss=$((n < 4 ? 10 - n : 20))"
    sleep 0.05
done
SH
cat >rule.yaml <<'YAML'
command: [sh, count.sh]
method: grid
metric: {name: loss}
parameters: {x: {values: [1, 2, 3]}}
early_terminate: {type: patience, patience: 4}
htcondor: {look: 1}
YAML
begun_s=$SECONDS
run "$THRONG" run rule.yaml --engine htcondor
check_status "rule: it runs to its end" 0
check_equal "rule: all were stopped" "stopped stopped stopped" \
    "$("$THRONG" export rule | tail -n +2 | cut -d, -f2 | xargs)"
check_equal "rule: at the same report" 21 \
    "$("$THRONG" export rule --history | tail -n +2 | wc -l)"
check "rule: long before they would have ended" \
    test $((SECONDS - begun_s)) -lt 60

# ---- the conductor is killed ------------------------------------------------------

study killed 12 3
"$THRONG" run killed.yaml --engine htcondor >killed.out 2>&1 &
conductor=$!
check "killed: jobs run" wait_for 120 some_run 2
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
check "killed: its jobs go on" test -n "$(jobs_now)"
run "$THRONG" run killed.yaml --engine local
check "killed: another engine is refused while they do" test "$status" -ne 0
run "$THRONG" run killed.yaml --engine htcondor
check_status "killed: the next run goes on to the end" 0
each_once killed 12

# ---- a person ends it ---------------------------------------------------------------

study ended 12 30
"$THRONG" run ended.yaml --engine htcondor >ended.out 2>&1 &
conductor=$!
check "ended: jobs run" wait_for 120 some_run 2
run "$THRONG" kill ended
check_status "ended: kill" 0
wait "$conductor"
check "ended: no job is left" wait_for 120 none_left

# ---- a job is removed behind our back -------------------------------------------------

study removed 8 2
"$THRONG" run removed.yaml --engine htcondor >removed.out 2>&1 &
conductor=$!
# One that runs now may have ended before it is removed: then it is another's
# turn.
remove_one() {
    local job
    job=$(running_job)
    [ -n "$job" ] && condor_rm "$job" >/dev/null 2>&1
}
check "removed: a job that runs is" wait_for 120 remove_one
wait "$conductor"
check_equal "removed: it runs to its end" 0 $?
each_once removed 8
