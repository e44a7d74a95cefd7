# A study on a real Slurm: each trial once, whatever happens to its jobs.
# timeout: 600
. "$(dirname "$0")/lib.sh"

# Each trial writes a line when it ends, so that one that ran twice is seen.
study() { # NAME TRIALS SECONDS
    cat >"$1.yaml" <<YAML
command: ["sh", "-c", "sleep $3; echo \$1 >>$PWD/$1.runs; echo ::throng loss=\$1", "x", "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters:
  x: {distribution: int_uniform, min: 1, max: $2}
YAML
    : >"$1.runs"
}

done_of() { # NAME
    sqlite3 ".throng/$1/study.db" 'select count(*) from trials where state = 3'
}

# Attempts that were ever heard to run, or may have.
begun_of() { # NAME
    sqlite3 ".throng/$1/study.db" \
        'select count(*) from attempts where outcome != 12'
}

each_once() { # NAME TRIALS
    check_equal "$1: every trial is done" "$2" "$(done_of "$1")"
    check_equal "$1: every trial ended once" "$(seq "$2")" \
        "$(sort -n "$1.runs")"
}

# ---- it runs ------------------------------------------------------------------

study plain 60 0.05
run "$THRONG" run plain.yaml --engine slurm
check_status "plain: it runs to its end" 0
each_once plain 60
check "plain: no job is left" wait_for 20 none_left
check_contains "plain: the script stays" "$(ls .throng/plain/jobs/1)" job.sh
check_lacks "plain: what was said is cleared away" \
    "$(ls .throng/plain/jobs/1)" said

# What a job was granted is all that its worker takes.
study full 80 0.5
run "$THRONG" run full.yaml --engine slurm
check_status "full: it runs to its end" 0
each_once full 80
most=$(sqlite3 .throng/full/study.db '
    select max(n) from (select count(*) as n from attempts a, attempts b
        where b.started <= a.started and a.started < b.ended group by a.trial)')
check "full: at most 16 ran at once, and were $most" test "$most" -le 16

run "$THRONG" run plain.yaml --engine slurm
check_status "plain: run again, there is nothing to do" 0
check_equal "plain: nothing was submitted then" 60 "$(wc -l <plain.runs)"

# ---- the conductor is killed ------------------------------------------------------

study killed 24 3
"$THRONG" run killed.yaml --engine slurm >killed.out 2>&1 &
conductor=$!
check "killed: jobs run" wait_for 30 some_run 4
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
check "killed: its jobs go on" test -n "$(jobs_now)"
run "$THRONG" stop killed
check_matches "killed: which stop says" "$err" "jobs of it go on.*throng kill killed"
run "$THRONG" rm killed -y
check_status "killed: it is not removed while they do" 5
check_contains "killed: and how they end is said" "$err" "throng kill killed"
run "$THRONG" run killed.yaml --engine slurm
check_status "killed: the next run goes on to the end" 0
each_once killed 24
check_equal "killed: what ran went on, and the rest had not begun" 24 \
    "$(begun_of killed)"

# ---- nobody runs it, and its jobs go on -------------------------------------------

study asked 2 600
"$THRONG" run asked.yaml --engine slurm >asked.out 2>&1 &
conductor=$!
check "asked: jobs run" wait_for 30 some_run 2
both_run() {
    "$THRONG" status asked --json | grep -q '"running":2'
}
check "asked: its trials run" wait_for 30 both_run
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
run "$THRONG" kill asked 1,2
check_status "asked: kill of trials in jobs" 0
check_contains "asked: says who tells the jobs" "$err" \
    "0 trials ended; 2 are in jobs that go on, and hear of it from the next run"
run "$THRONG" run asked.yaml --engine slurm
check_matches "asked: which does" "$err" "2 killed"
check "asked: no job is left" wait_for 20 none_left

# ---- a job is begun again by Slurm -------------------------------------------------

study requeued 12 4
"$THRONG" run requeued.yaml --engine slurm >requeued.out 2>&1 &
conductor=$!
check "requeued: jobs run" wait_for 30 some_run 4
job=$(running_job)
check "requeued: Slurm takes job $job back" scontrol requeue "$job"
wait "$conductor"
check_equal "requeued: it runs to its end" 0 $?
check_equal "requeued: every trial is done" 12 "$(done_of requeued)"
check_equal "requeued: every trial ended" "$(seq 12)" \
    "$(sort -nu requeued.runs)"

# ---- a job is cancelled behind our back ---------------------------------------------

# Nobody ends before it is gone: a task that had just written its line would be
# run again, and rightly so.
study cancelled 12 0
sed -i "s|sleep 0;|until [ -e $PWD/go ]; do sleep 0.1; done;|" cancelled.yaml
is_gone() { # JOB
    ! jobs_now | awk '{ print $1 "_" $2 }' | grep -qx "$1"
}
"$THRONG" run cancelled.yaml --engine slurm >cancelled.out 2>&1 &
conductor=$!
check "cancelled: jobs run" wait_for 30 some_run 4
job=$(running_job)
check "cancelled: job $job is" scancel "$job"
check "cancelled: and is gone" wait_for 60 is_gone "$job"
touch go
wait "$conductor"
check_equal "cancelled: it runs to its end" 0 $?
each_once cancelled 12

# The worker gives its task back before it is gone: a person ended it all the
# same, and the second time means it.
cat >twice.yaml <<'YAML'
command: [sleep, "{x}"]
method: grid
parameters: {x: {value: 60}}
slurm: {look: 1}
YAML
"$THRONG" run twice.yaml --engine slurm >twice.out 2>&1 &
conductor=$!
trial_runs() { # NAME ATTEMPT
    "$THRONG" show "$1" 1 --json | grep -q '"state":"running"' &&
        [ "$(sqlite3 -readonly ".throng/$1/study.db" 'select count(*)
            from attempts where started > 0')" = "$2" ]
}
check "twice: it runs" wait_for 30 trial_runs twice 1
check "twice: its job is cancelled" scancel "$(running_job)"
check "twice: it runs again" wait_for 30 trial_runs twice 2
check "twice: which is told" wait_for 30 grep -q \
    "ended as CANCELLED.* 1 task of it is tried again" twice.out
check "twice: its job is cancelled again" scancel "$(running_job)"
wait "$conductor"
check "twice: the study stops" test $? -ne 0
check "twice: and says why" grep -q "the second time that a job" twice.out
check "twice: no job is left" wait_for 20 none_left

# While it waits.
sed 's/look: 1/look: 1, sbatch: ["--hold"]/' twice.yaml >waiting.yaml
pending() { # NAME SUBMISSION
    [ -e ".throng/$1/jobs/$2/state" ] &&
        grep -q PENDING ".throng/$1/jobs/$2/state"
}
"$THRONG" run waiting.yaml --engine slurm >waiting.out 2>&1 &
conductor=$!
check "waiting: its job waits" wait_for 30 pending waiting 1
check "waiting: it is cancelled" scancel --user="$(id -un)"
check "waiting: another waits" wait_for 30 pending waiting 2
check "waiting: that is cancelled, too" scancel --user="$(id -un)"
wait "$conductor"
check "waiting: the study stops" test $? -ne 0
check "waiting: and says why" grep -q \
    "taken out of the queue before it began, the second time" waiting.out

# Who stops the study takes back what waits, which is no fault of the jobs.
cat >held.yaml <<'YAML'
command: [sleep, "{x}"]
method: grid
parameters: {x: {values: [1, 2, 3, 4]}}
slurm: {look: 1, sbatch: ["--hold"]}
YAML
"$THRONG" run held.yaml --engine slurm >held.out 2>&1 &
conductor=$!
check "held: its jobs wait" wait_for 30 pending held 1
check "held: stop" "$THRONG" stop held
wait "$conductor"
check_equal "held: it ends as one that was stopped" 0 $?
check_lacks "held: and blames nobody" "$(cat held.out)" "none has begun"
check "held: no job is left" wait_for 20 none_left

# ---- bad input -------------------------------------------------------------------------

study bad 3 0
cat >>bad.yaml <<'YAML'
slurm: {partition: nowhere}
YAML
run "$THRONG" run bad.yaml --engine slurm
check "bad: an unknown partition is an error" test "$status" -ne 0
check_contains "bad: which is named" "$err" nowhere
sed -i 's/partition: nowhere/sbatch: ["--mem=900G"]/' bad.yaml
run "$THRONG" run bad.yaml --engine slurm
check "bad: what sbatch refuses is an error" test "$status" -ne 0
check_contains "bad: in Slurm's own words" "$err" \
    "Requested node configuration is not available"
sed -i '/^slurm:/d' bad.yaml
run "$THRONG" run bad.yaml --engine slurm
check_status "bad: after the fix the study goes on" 0
each_once bad 3
