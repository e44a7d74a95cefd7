# What a person is told of the jobs of a study: why they wait, how they ended,
# what was submitted, and where their files are.
# timeout: 500
. "$(dirname "$0")/lib.sh"

cat >held.yaml <<'YAML'
command: ["sh", "-c", "sleep 2; echo ::throng loss=$1", "x", "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters:
  x: {distribution: int_uniform, min: 1, max: 3}
slurm: {look: 1, sbatch: ["--hold"]}
YAML

status_tells() { # TEXT
    "$THRONG" status held | grep -qF "$1"
}

# ---- it waits for a person ------------------------------------------------------

"$THRONG" run held.yaml --engine slurm >held.out 2>&1 &
conductor=$!
check "held: status tells what Slurm waits for" wait_for 30 status_tells \
    "jobs     3 PENDING (JobHeldUser): somebody holds it back"
check "held: so does who runs it" wait_for 30 grep -q \
    "does not begin (JobHeldUser)" held.out
run "$THRONG" explain held 2
check_status "held: explain" 0
job=$(jobs_now | awk 'NR == 1 { print $1 }')
check_contains "held: explain says which job, and why it waits" "$out" \
    "Its job is Slurm job ${job}_1: PENDING (JobHeldUser), somebody holds it"
check_contains "held: explain shows the script" "$out" \
    "    #SBATCH --array=0-2"
check_lacks "held: this machine's room is not the reason" "$out" \
    "this machine"
run "$THRONG" explain held 2 --json
check_equal "held: the same for programs" "${job}_1 PENDING JobHeldUser" \
    "$(printf '%s' "$out" | python3 -c '
import json, sys
j = json.load(sys.stdin)["trials"][0]["job"]
print(j["id"], j["state"], j["reason"])')"
run "$THRONG" status held --json
check_equal "held: status for programs" "3 PENDING JobHeldUser" \
    "$(printf '%s' "$out" | python3 -c '
import json, sys
j = json.load(sys.stdin)["jobs"][0]
print(j["count"], j["state"], j["reason"])')"
check "held: released, it runs" scontrol release "$job"
check "held: status tells that jobs run" wait_for 30 status_tells "RUNNING"
run "$THRONG" explain held 1
check_contains "held: where a running one is" "$out" "RUNNING"
wait "$conductor"
check_equal "held: it runs to its end" 0 $?
run "$THRONG" explain held 1
check_contains "held: of a trial that is done the job is known" "$out" \
    "Its last job was Slurm job ${job}_0 on t"
run "$THRONG" status held
check_lacks "held: then no job is out" "$out" "jobs "

# ---- its node is gone ------------------------------------------------------------

cat >lost.yaml <<'YAML'
command: ["sh", "-c", "echo ::throng loss=$1; sleep 600", "x", "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters: {x: {value: 1}}
slurm: {look: 1}
YAML
explain_says() { # TEXT
    "$THRONG" explain lost 1 | grep -qF "$1"
}
"$THRONG" run lost.yaml --engine slurm >lost.out 2>&1 &
conductor=$!
check "lost: it runs" wait_for 60 explain_says "Attempt 1 has run for"
check_matches "lost: which show says" "$("$THRONG" show lost 1)" "1  running +on t"
job=$(jobs_now | awk 'NR == 1 { print $1 "_" $2 }')
node=$(squeue -h -r -t RUNNING -o %N)
"$SLURM" node "$slurm_folder" kill "$node"
scontrol update "nodename=$node" state=down reason=test
check "lost: that its job waits again is explained" wait_for 60 explain_says \
    "Attempt 1 ran on $node until its job was put back into the queue."
check_matches "lost: and shown" "$("$THRONG" show lost 1)" "1  waits again +on $node"
"$SLURM" node "$slurm_folder" start "$node"
scontrol update "nodename=$node" state=resume
check "lost: it may begin" scontrol update "jobid=$job" starttime=now
check "lost: it has begun again" wait_for 60 explain_says "Attempt 2 has run for"
"$THRONG" kill lost >/dev/null 2>&1
wait "$conductor"

# ---- nobody runs it ----------------------------------------------------------------

sed 's/sleep 2/sleep 60/' held.yaml >left.yaml
"$THRONG" run left.yaml --engine slurm >left.out 2>&1 &
conductor=$!
left_waits() {
    "$THRONG" status left | grep -q "3 PENDING"
}
check "left: its jobs wait" wait_for 30 left_waits
kill -INT "$conductor"
wait "$conductor"
run "$THRONG" status left
check_contains "left: what is told then is as old as the run" "$out" \
    "3 PENDING (JobHeldUser): somebody holds it back"
check_contains "left: which is said" "$out" "when throng last asked"
check_contains "left: status says who collects and who cancels them" "$out" \
    "not running, and 3 jobs of it are out: \`throng run left.yaml --engine slurm\` collects what they do, \`throng kill left\` cancels them"
run "$THRONG" status left --json
check_contains "left: status for programs" "$out" '"jobs_out":3'
run "$THRONG" ls
check_matches "left: ls" "$out" 'left.*3 jobs out'
run "$THRONG" ls --json
check_contains "left: ls for programs" "$out" '"state":"jobs out"'
run "$THRONG" watch --once left
check_contains "left: watch" "$out" \
    "not running, 3 jobs out: \`throng run\` collects, \`throng kill\` cancels"
run "$THRONG" explain left 1
check_contains "left: explain says what happens without a conductor" "$out" \
    "Its job goes on without a conductor; \`throng run left.yaml --engine slurm\` collects what it does"
run "$THRONG" add left x=2
check_contains "left: add says who goes on" "$err" \
    "\`throng run left.yaml --engine slurm\`"
run "$THRONG" kill left
check_status "left: kill" 0
check "left: its jobs are gone" wait_for 20 none_left

# One that runs when its conductor is killed.
sed -e 's/sleep 2/sleep 60/' -e '/^slurm:/d' held.yaml >alone.yaml
mkdir -p config/throng
(umask 077 && echo "there: {engine: slurm, partition: main}" \
    >config/throng/profiles.yaml)
XDG_CONFIG_HOME=$PWD/config "$THRONG" run alone.yaml --profile there \
    >alone.out 2>&1 &
conductor=$!
alone_runs() {
    "$THRONG" status alone >alone.status
    grep -q "3 RUNNING" alone.status && grep -q "^  running    3" alone.status
}
check "alone: its jobs run" wait_for 30 alone_runs
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
run "$THRONG" status alone
check_contains "alone: its trials are not broken off" "$out" \
    "  running    3 (in jobs, when throng last asked)"
check_contains "alone: and it goes on with the profile that it had" "$out" \
    "\`throng run alone.yaml --profile there\`"
run "$THRONG" watch --once alone
check_contains "alone: watch" "$out" "3 running"
run "$THRONG" explain alone 2
check_contains "alone: explain" "$out" "Its job goes on without a conductor"
check_lacks "alone: explain does not call it broken off" "$out" "broke off"
run env XDG_CONFIG_HOME="$PWD/config" "$THRONG" kill alone
check_status "alone: kill" 0
check "alone: its jobs are gone" wait_for 20 none_left
run "$THRONG" ls
check_matches "alone: then no job is out" "$out" 'alone.*(stopped|broken off)'

# The profile that a study was run with is gone: what it submitted is not.
sed 's/sleep 2/sleep 60/; s/^slurm:.*/profile: there/' held.yaml >gone.yaml
XDG_CONFIG_HOME=$PWD/config "$THRONG" run gone.yaml >gone.out 2>&1 &
conductor=$!
gone_runs() {
    "$THRONG" status gone | grep -q "3 RUNNING"
}
check "gone: its jobs run" wait_for 30 gone_runs
kill -INT "$conductor"
wait "$conductor"
(umask 077 && echo "default: {engine: htcondor, rank: Memory}" \
    >config/throng/profiles.yaml)
run env XDG_CONFIG_HOME="$PWD/config" "$THRONG" kill gone
check_status "gone: kill without its profile" 0
check_contains "gone: says where they were" "$out$err" "were out at slurm"
check "gone: its jobs are gone" wait_for 20 none_left

# ---- why a job was ended --------------------------------------------------------------

cat >ended.yaml <<'YAML'
command: ["sh", "-c", "echo s >$THRONG_CHECKPOINT/s; exec sleep 600", "x", "{x}"]
method: grid
parameters: {x: {values: [1, 2]}}
grace: 60s
slurm: {look: 1, partition: low, time: 1h}
YAML
ended_runs() { # ATTEMPTS
    [ "$(sqlite3 -readonly .throng/ended/study.db 'select count(*)
        from attempts where started > 0 and ended = 0')" = 2 ] &&
        [ "$(sqlite3 -readonly .throng/ended/study.db 'select count(*)
        from attempts where started > 0')" -ge "$1" ]
}
"$THRONG" run ended.yaml --engine slurm >ended.out 2>&1 &
conductor=$!
check "ended: its jobs run" wait_for 60 ended_runs 2
sbatch -Q -o /dev/null --partition=main --exclusive --nodes=4 --wrap 'sleep 1'
check "ended: who runs it is told of what others wanted" wait_for 60 grep -q \
    "was ended on t[0-9] as PREEMPTED, its room was wanted for others; what it had not finished is tried again" ended.out
check "ended: its jobs run again" wait_for 120 ended_runs 4
run "$THRONG" show ended 1
check_contains "ended: show says so" "$out" "as PREEMPTED, its room was wanted"
run "$THRONG" explain ended 1
check_matches "ended: and explain" "$out" \
    "Attempt 1 ended as interrupted: Slurm job [0-9_]+ was ended on t[0-9] as PREEMPTED"
scontrol requeue "$(running_job)"
check "ended: what somebody put back is told apart" wait_for 60 grep -q \
    "as REQUEUED, somebody put it back" ended.out
check "ended: that one runs again, too" wait_for 120 ended_runs 5
scancel "$(running_job)"
check "ended: what somebody cancelled is, too" wait_for 60 grep -q \
    "ended as CANCELLED, it was cancelled" ended.out
check "ended: and runs again" wait_for 120 ended_runs 6

# Its node is gone, and Slurm has put the job back: nobody there would hear a
# wish, so it need not be waited for.
victim=$(jobs_now | awk '$3 == "RUNNING" { print $1 "_" $2; exit }')
node=$(squeue -h -r -j "$victim" -o %N)
trial=$(sqlite3 -readonly .throng/ended/study.db "select trial from attempts
    where ended = 0 and machine = (select max(id) from machines
    where host = '$node')" | head -n 1)
"$SLURM" node "$slurm_folder" kill "$node"
put_back() {
    [ "$(squeue -h -r -j "$victim" -O 'State: ,RestartCnt: ' | tr -d ' ')" = \
        PENDING1 ] && "$THRONG" status ended | grep -q PENDING
}
check "ended: a job whose node failed waits again" wait_for 90 put_back
"$THRONG" kill ended "$trial" >/dev/null 2>&1
was_killed() {
    [ "$(sqlite3 -readonly .throng/ended/study.db "select state from trials
        where id = $trial")" = 8 ]
}
check "ended: killed, it is gone at once" wait_for 30 was_killed
"$SLURM" node "$slurm_folder" start "$node"
"$THRONG" kill ended >/dev/null 2>&1
wait "$conductor"
check "ended: no job is left" wait_for 30 none_left

# ---- what would be submitted ----------------------------------------------------------

# Two needs, so that the first submission is of one kind.
cat >told.yaml <<'YAML'
command: ["sh", "-c", "echo ::throng loss=$1", "x", "{x}"]
method: grid
metric: {name: loss, goal: minimize}
resources: {cpus: 2, memory: 100M, gpus: 1, time: 2m}
parameters:
  x: {distribution: int_uniform, min: 1, max: 30}
slurm: {lead: 70, requeue: false, mail: someone@example.org, scratch: /tmp,
        setup: "true # a line of the site", sbatch: ["--nice=3"]}
YAML
run "$THRONG" submit-file told.yaml --engine slurm
check_status "told: submit-file" 0
told=$out
check "told: nothing was written" test ! -e .throng/told
check_equal "told: nothing was submitted" "" "$(jobs_now)"
for line in --array=0-7 --nodes=1 --ntasks=1 --cpus-per-task=2 --mem=100M \
    --gres=gpu:1 --time=0:04:10 --signal=B:USR1@70 --no-requeue \
    --mail-user=someone@example.org --nice=3; do
    check_contains "told: it asks for $line" "$told" "#SBATCH $line"
done
run "$THRONG" run told.yaml --engine slurm
check_status "told: it runs" 0
check_equal "told: what is submitted is what was told" \
    "$(cat .throng/told/jobs/1/job.sh)" \
    "$(printf '%s\n' "$told" | sed "s/00000000/$(cat .throng/told/jobs/mark)/")"
run "$THRONG" submit-file told.yaml --engine slurm
check "told: of a study that is done there is nothing" test "$status" -ne 0
check_contains "told: which is said" "$err" "no trial waits"
run "$THRONG" submit-file told.yaml
check "told: on this machine there is no such file" test "$status" -ne 0
check_contains "told: which is said, too" "$err" "submits nothing"

# Elements of an array that run at once.
sed -e 's/lead: 70/throttle: 3/' told.yaml >throttled.yaml
run "$THRONG" submit-file throttled.yaml --engine slurm
check_contains "throttled: no more than so many run at once" "$out" \
    "#SBATCH --array=0-7%3"

# A job that were warned as it begins would run nothing.
sed -e 's/^slurm:.*/slurm: {time: 1m}/' -e '/setup:/d' -e 's/, time: 2m//' told.yaml >brief.yaml
run "$THRONG" submit-file brief.yaml --engine slurm
check_contains "brief: it is warned when half of its time is left" "$out" \
    "--signal=B:USR1@30"
