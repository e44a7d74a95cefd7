#!/usr/bin/env bash
# How a real Slurm ends jobs that take too much memory or too long, and what is
# told of it; and a site whose default is Slurm.
#
# The state OUT_OF_MEMORY comes of a kernel that ends what is over the limit of
# its cgroup, and the Slurm of these tests has no cgroups: here Slurm itself
# looks how much a job has, and ends it. tests/engine/test_endings.c has both.
# timeout: 500
export SLURM_TEST_NODES=2 SLURM_TEST_CONF='JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
'
. "$(dirname "$0")/lib.sh"

ask() { # STUDY SQL
    sqlite3 -readonly ".throng/$1/study.db" "$2" 2>/dev/null
}

# ---- out of time ------------------------------------------------------------

# Nobody warns its worker, so that it is Slurm that ends the job.
cat >late.yaml <<'YAML'
command: [sleep, "30{x}"]
method: grid
parameters: {x: {values: [1]}}
slurm: {look: 1, time: 1m, lead: 5, sbatch: ["--signal=B:CONT@1"]}
YAML
"$THRONG" run late.yaml --engine slurm >late.out 2>&1 &
late=$!

# This one has saved something once, and does not get on.
cat >stuck.yaml <<'YAML'
command: ["sh", "-c", "echo s >$THRONG_CHECKPOINT/s; exec sleep 30{x}"]
method: grid
parameters: {x: {values: [1]}}
grace: 1s
slurm: {look: 1, time: 1m, lead: 5}
YAML
"$THRONG" run stuck.yaml --engine slurm >stuck.out 2>&1 &
stuck=$!

# ---- out of memory ------------------------------------------------------------

cat >eat.yaml <<'YAML'
command: [python3, -c, "import sys, time; x = bytearray(int(sys.argv[1]) << 20);
  time.sleep(6); print('::throng loss=1')", "{x}"]
method: grid
metric: {name: loss}
retries: 1
parameters: {x: {values: [250, 10]}}
slurm: {look: 1}
YAML
run "$THRONG" run eat.yaml --engine slurm
check_equal "eat: it was tried as often as retries say, and the other is done" \
    "1|memory|2 2|done|1" "$(ask eat "select trial, case outcome when 10 then
        'memory' when 1 then 'done' else outcome end, count(*) from attempts
        where outcome != 12 group by 1, 2 order by 1" | tr '\n' ' ' |
        sed 's/ $//')"
check_contains "eat: who runs it is told" "$err" \
    "OUT_OF_MEMORY, it took more memory than it asked for"
run "$THRONG" show eat 1
check_matches "eat: show says so, in Slurm's words, too" "$out" \
    "1  memory .*Slurm job [0-9_]+ on t[0-9] ended as [A-Z]+.*OUT_OF_MEMORY"
run "$THRONG" explain eat 1
check_contains "eat: explain says what to do" "$out" "ask for more"
# ---- a site whose default is Slurm ----------------------------------------------

mkdir -p config/throng
(umask 077 && echo "default: {engine: slurm, partition: low, look: 1}" \
    >config/throng/profiles.yaml)
export XDG_CONFIG_HOME=$PWD/config
cat >plain.yaml <<'YAML'
command: ["sh", "-c", "sleep $1; echo ::throng loss=$1", "x", "{x}"]
method: grid
metric: {name: loss}
parameters: {x: {values: [0.1, 0.2, 0.3]}}
YAML
run "$THRONG" run plain.yaml
check_status "default: a study that says nothing runs" 0
check_contains "default: who runs it is told where" "$err" \
    "the study runs at slurm"
check_contains "default: with the profile's settings" \
    "$(cat .throng/plain/jobs/1/job.sh)" "--partition=low"
run "$THRONG" run plain.yaml --engine local --new here
check_status "default: --engine local runs it here" 0
check "default: and submits nothing" test ! -e .throng/here/jobs
sed 's/0\.1, 0\.2, 0\.3/60, 61/' plain.yaml >slow.yaml
run "$THRONG" run slow.yaml --detach
slow_runs() {
    "$THRONG" status slow | grep -q "2 RUNNING"
}
check "default: in the background, too" wait_for 60 slow_runs
run "$THRONG" kill slow
check_status "default: kill" 0
low_is_empty() {
    [ -z "$(squeue -h -p low)" ]
}
check "default: kills its jobs" wait_for 60 low_is_empty

# ---- what became of those that took too long --------------------------------------

wait "$late"
run "$THRONG" show late 1
check_matches "late: Slurm ends it, and that is its end" "$out" \
    "1  timed_out .*the time of its job was up \(1m\), and it had saved no"
check_equal "late: one job has shown that" 1 \
    "$(ask late 'select count(*) from attempts where outcome != 12')"
wait "$stuck"
run "$THRONG" show stuck 1
check_matches "stuck: it is no trial that gets on by pieces" "$out" \
    "timed_out.*saved nothing new since the job before"
check_equal "stuck: two jobs have shown that" 2 \
    "$(ask stuck 'select count(*) from attempts where outcome != 12')"
check "no job is left" wait_for 30 none_left
