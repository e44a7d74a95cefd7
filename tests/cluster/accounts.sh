#!/usr/bin/env bash
# A Slurm that keeps accounts: it refuses who has none, and knows what the queue
# has forgotten.
# timeout: 400
export SLURM_TEST_ACCOUNTS=1 SLURM_TEST_CONF='MinJobAge=2
'
. "$(dirname "$0")/lib.sh"

study() { # NAME SECONDS SETTINGS
    cat >"$1.yaml" <<YAML
command: ["sh", "-c", "sleep $2; echo ::throng loss=\$1", "x", "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters:
  x: {distribution: int_uniform, min: 1, max: 2}
slurm: {look: 1$3}
YAML
}

states() { # NAME
    sqlite3 -readonly ".throng/$1/study.db" 'select state, count(*) from trials
        group by state'
}

begun() { # NAME COUNT
    [ "$(sqlite3 -readonly ".throng/$1/study.db" 'select count(*)
        from attempts where started > 0')" -ge "$2" ]
}

# ---- what it refuses ------------------------------------------------------------

study account 0 ', account: strangers'
run "$THRONG" run account.yaml --engine slurm
check "account: one that is not ours is an error" test "$status" -ne 0
check_contains "account: in Slurm's words" "$err" "Invalid account"
study account 0 ', account: lab, qos: gold'
run "$THRONG" run account.yaml --engine slurm
check "account: so is a qos that there is not" test "$status" -ne 0
check_contains "account: in Slurm's words, too" "$err" "Invalid qos"
study account 0 ', account: lab, qos: normal'
run "$THRONG" run account.yaml --engine slurm
check_status "account: after the fix the study goes on" 0
check_equal "account: and all is done" "3|2" "$(states account)"
accounted() { # TEXT
    [ "$(sacct -n -X -P --format=Account,QOS,State | sort -u)" = "$1" ]
}
check "account: the jobs are the account's" wait_for 60 accounted \
    "lab|normal|COMPLETED"

# ---- who it was ------------------------------------------------------------------

study removed 60 ', account: lab'
sed -i -e 's/^command:.*/command: [sleep, "6{x}"]/' -e /^metric/d removed.yaml
"$THRONG" run removed.yaml --engine slurm >removed.out 2>&1 &
conductor=$!
check "removed: it runs" wait_for 30 begun removed 2
check "removed: all is cancelled" scancel --user="$(id -un)"
check "removed: it runs again" wait_for 30 begun removed 4
check "removed: and is cancelled again" scancel --user="$(id -un)"
wait "$conductor"
check "removed: the study stops" test $? -ne 0
check "removed: and names who it was" grep -q \
    "CANCELLED.* by $(id -un).*second time" removed.out

# ---- what the queue has forgotten --------------------------------------------------

study forgotten 4 ', account: lab'
"$THRONG" run forgotten.yaml --engine slurm >forgotten.out 2>&1 &
conductor=$!
check "forgotten: it runs" wait_for 30 begun forgotten 2
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
forgotten() {
    [ -z "$(squeue -h --states=all)" ]
}
check "forgotten: Slurm's queue knows nothing of it" wait_for 90 forgotten
run "$THRONG" run forgotten.yaml --engine slurm
check_status "forgotten: the next run ends well" 0
check_equal "forgotten: nothing was submitted twice" 1 \
    "$(cat .throng/forgotten/jobs/*/job.sh | grep -c job-name)"

# ---- why a job is begun again ------------------------------------------------------

# A node that fails writes no reason into the log of a job.
study failed 300 ', account: lab'
"$THRONG" run failed.yaml --engine slurm >failed.out 2>&1 &
conductor=$!
check "failed: it runs" wait_for 30 begun failed 2
job=$(running_job)
node=$(squeue -h -r -j "$job" -o %N)
"$SLURM" node "$slurm_folder" kill "$node"
check "failed: who runs it is told of its node" wait_for 60 grep -q \
    "Slurm job $job was ended on $node as NODE_FAIL, its node failed; what it had not finished is tried again" \
    failed.out
"$SLURM" node "$slurm_folder" start "$node"
"$THRONG" kill failed >/dev/null 2>&1
wait "$conductor"
check "failed: no job is left" wait_for 30 none_left
