#!/usr/bin/env bash
# A node of a real Slurm on which nothing goes well is left out, and named.
# timeout: 300
. "$(dirname "$0")/lib.sh"

# On t2 every trial fails at once. Those that run elsewhere take a while, so
# that Slurm has room there, and nowhere else, all the time.
cat >bad.yaml <<'YAML'
command: ["sh", "-c", '[ "$SLURMD_NODENAME" != t2 ] || { echo no such library >&2; exit 127; }; sleep 1; echo ::throng loss=$1', x, "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters:
  x: {distribution: int_uniform, min: 1, max: 60}
retries: 1
YAML
run "$THRONG" run bad.yaml --engine slurm --keep-going
check_matches "bad: the node is named" "$err" \
    "jobs in a row failed at once on node t2 .* it is left out"
check_equal "bad: it alone, and once" 1 "$(grep -c 'left out' <<<"$err")"
check_contains "bad: later jobs do without it" \
    "$(cat .throng/bad/jobs/*/job.sh)" "#SBATCH --exclude=t2"
there=$(sqlite3 .throng/bad/study.db "select count(*) from attempts
    where machine = (select id from machines where host = 't2')")
check "bad: attempts name their node" test "$there" -ge 3
"$THRONG" retry bad failed >/dev/null 2>&1
run "$THRONG" run bad.yaml --engine slurm
check_equal "bad: those that failed there do so, too, when they are retried" 60 \
    "$(sqlite3 .throng/bad/study.db 'select count(*) from trials
        where state = 3')"

# A job that waits, of an array that was submitted before, does without it.
cat >waits.yaml <<'YAML'
command: ["sh", "-c", '[ "$SLURMD_NODENAME" != t1 ] || exit 1; sleep 2; echo ::throng loss=$1', x, "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters:
  x: {distribution: int_uniform, min: 1, max: 120}
retries: 2
slurm: {bundle_time: 0.01}  # a job each
YAML
"$THRONG" run waits.yaml --engine slurm --keep-going >waits.out 2>&1 &
conductor=$!
left_out() {
    squeue -h -r -o '%t %x' | grep -q '^PD t1$'
}
check "waits: what waits is not begun there any more" wait_for 60 left_out
check "waits: which is told" grep -q "on node t1 .*left out" waits.out
"$THRONG" kill waits >/dev/null 2>&1
wait "$conductor"
check "waits: no job is left" wait_for 30 none_left
