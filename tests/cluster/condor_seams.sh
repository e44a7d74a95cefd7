#!/usr/bin/env bash
# What happens between two parts of a study on HTCondor: between condor_submit
# and what is written down of it, while files are on their way, while two copies
# of a job run; and which length of job a trial gets by what was measured.
# timeout: 900
# A submission begins at once and a transfer takes a while, so that something
# can happen during it.
export CONDOR_TEST_FIRST=0.2-0.5 CONDOR_TEST_PACE=0.1 CONDOR_TEST_TRANSFER=2
. "$(dirname "$0")/condor/lib.sh"
stand_in_only "what happens in between" || exit 0

LOOK='htcondor: {look: 0.5}'
study() { # NAME TRIALS [MORE]
    cat >"$1.yaml" <<YAML
command: [sh, trial.sh, "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters: {x: {distribution: int_uniform, min: 1, max: $2}}
${3:-$LOOK}
YAML
}
echo 'echo "::throng loss=$1"' >trial.sh

each_once() { # NAME TRIALS
    check_equal "$1: every trial is done, once" "$2 $2" \
        "$(ask "$1" 'select count(*), count(distinct id) from trials
            where state = 3' | tr '|' ' ')"
}
clusters() { # NAME: that HTCondor ever had of the study
    {
        condor_q -constraint "regexp(\"-$1-\", ThrongRun)" -af ClusterId
        condor_history -constraint "regexp(\"-$1-\", ThrongRun)" -af ClusterId
    } | sort -u | wc -l
}
is_gone() { ! kill -0 "$1" 2>/dev/null; }

# ---- killed between condor_submit and what is written down of it ------------------

# A condor_submit that waits for a sign, before or behind its work.
mkdir -p slow
cat >slow/condor_submit <<'SH'
#!/bin/sh
wait_for_go() {
    echo $$ >"$SLOW.waits"
    while [ ! -e "$SLOW.go" ]; do sleep 0.05; done
}
[ "$SLOW_WHEN" = before ] && wait_for_go
"$REAL_SUBMIT" "$@"
code=$?
[ "$SLOW_WHEN" = behind ] && wait_for_go
exit $code
SH
chmod +x slow/condor_submit
REAL_SUBMIT=$(command -v condor_submit)
export REAL_SUBMIT
for when in before behind; do
    study $when 3
    SLOW=$PWD/$when SLOW_WHEN=$when PATH=$PWD/slow:$PATH \
        "$THRONG" run $when.yaml --engine htcondor >$when.out 2>&1 &
    conductor=$!
    check "$when: the job is on its way to HTCondor" wait_for 60 \
        test -s $when.waits
    kill -9 $conductor
    wait $conductor 2>/dev/null
    check "$when: nothing of its conductor goes on" wait_for 30 \
        is_gone "$(cat $when.waits)"
    run "$THRONG" run $when.yaml --engine htcondor
    check_status "$when: the next run goes on to the end" 0
    each_once $when 3
    touch $when.go
    check_equal "$when: HTCondor had one job of it" 1 "$(clusters $when)"
done

# ---- removed while its files are on their way ----------------------------------------

transfers() { # NAME WHAT: more have begun than ended
    local log
    log=$(cat ".throng/$1"/jobs/*/events.log 2>/dev/null)
    [ "$(grep -c "Started transferring $2" <<<"$log")" -gt \
        "$(grep -c "Finished transferring $2" <<<"$log")" ]
}

study onway 2
"$THRONG" run onway.yaml --engine htcondor >onway.out 2>&1 &
conductor=$!
check "onway: files are on their way" wait_for 60 transfers onway input
check "onway: the job is removed meanwhile" condor_rm "$(jobs_now |
    awk '{ print $1; exit }')"
wait $conductor
check_equal "onway: the study runs to its end" 0 $?
each_once onway 2
check_contains "onway: who removed it is said" "$(cat onway.out)" \
    "by $(id -un)"

study dropped 2
"$THRONG" run dropped.yaml --engine htcondor >dropped.out 2>&1 &
conductor=$!
check "dropped: files are on their way" wait_for 60 transfers dropped input
run "$THRONG" kill dropped
check_status "dropped: the study is killed meanwhile" 0
wait $conductor
check "dropped: no job is left" wait_for 60 none_left
run "$THRONG" rm dropped -y
check_status "dropped: and removed" 0
check "dropped: with its folder" test ! -e .throng/dropped

# ---- held while a checkpoint is on its way ---------------------------------------------

cat >steps.sh <<'SH'
n=0 sum=0
[ -s "$THRONG_CHECKPOINT/state" ] && read -r n sum <"$THRONG_CHECKPOINT/state"
while [ "$n" -lt 30 ]; do
    sleep 0.2
    n=$((n + 1))
    sum=$(((sum * 31 + $1 * n) % 1000003))
    echo "{\"step\":$n,\"loss\":$sum}" >>"$THRONG_METRICS"
    echo "$n $sum" >"$THRONG_CHECKPOINT/next"
    mv "$THRONG_CHECKPOINT/next" "$THRONG_CHECKPOINT/state"
    if [ -e "$THRONG_STOP" ] && [ "$n" -lt 30 ]; then exit 85; fi
done
SH
sum_of() { # X
    local n sum=0
    for n in $(seq 30); do sum=$(((sum * 31 + $1 * n) % 1000003)); done
    echo "$sum"
}
study saving 2 'htcondor: {look: 0.5, checkpoint_every: 1s}'
sed -i 's/trial.sh/steps.sh/' saving.yaml
"$THRONG" run saving.yaml --engine htcondor >saving.out 2>&1 &
conductor=$!
check "saving: a checkpoint is on its way" wait_for 120 transfers saving output
job=$(running_job)
check "saving: the job is held meanwhile" condor_hold "$job"
check "saving: it is released" wait_for 60 condor_release "$job"
wait $conductor
check_equal "saving: the study runs to its end" 0 $?
check_equal "saving: every value is right" "$(sum_of 1) $(sum_of 2)" \
    "$("$THRONG" export saving | tail -n +2 | sort -n |
        awk -F, '{ print $3 + 0 }' | xargs)"
check_equal "saving: every step counts once" 60 \
    "$("$THRONG" export saving --history | tail -n +2 | wc -l)"

# ---- two copies of a job -----------------------------------------------------------------

# The first copy outlives the crash of all daemons but its own, the second one
# begins when the lease is over [08b-overlap].
cat >copies.sh <<'SH'
. ./side.sh
echo "$$" >>"$side"
if [ "$(wc -l <"$side")" -eq 1 ]; then
    n=0
    while [ "$n" -lt 3000 ]; do
        n=$((n + 1))
        sleep 0.1
    done
fi
echo "::throng loss=$1"
SH
echo "side=$PWD/copies.begun" >side.sh
study copies 1 'htcondor: {look: 0.5, lease: 60s}
inputs: [side.sh]'
sed -i 's/trial.sh/copies.sh/; s/{distribution.*}/{values: [7]}}/' copies.yaml
"$THRONG" run copies.yaml --engine htcondor >copies.out 2>&1 &
conductor=$!
check "copies: the first one runs" wait_for 60 test -s copies.begun
"$CONDOR" fault "$pool_folder" crash >/dev/null
wait $conductor
check_equal "copies: the study runs to its end" 0 $?
check_equal "copies: two ran" 2 "$(wc -l <copies.begun)"
check "copies: the first one still does" kill -0 "$(head -n 1 copies.begun)"
each_once copies 1
check_equal "copies: with the one result" 7 \
    "$("$THRONG" export copies | awk -F, 'NR == 2 { print $3 + 0 }')"

# ---- which length of job --------------------------------------------------------------------

mkdir -p config/throng
cat >config/throng/profiles.yaml <<'YAML'
site:
  engine: htcondor
  look: 0.5
  classes:
    long: {time: 7d, attributes: ['GPUJobLength = "long"']}
    short: {time: 12h, attributes: ['GPUJobLength = "short"']}
    medium: {time: 24h, attributes: ['GPUJobLength = "medium"']}
YAML
chmod 600 config/throng/profiles.yaml
export XDG_CONFIG_HOME=$PWD/config
length_of() { # STUDY SUBMISSION
    sed -n 's/^+GPUJobLength = //p' ".throng/$1/jobs/$2/job.sub"
}
study length 4 'profile: site'
run "$THRONG" run length.yaml --count 1
check_status "length: the first trial runs" 0
check_equal "length: of which nobody knows how long it takes" '"long"' \
    "$(length_of length 1)"
run "$THRONG" run length.yaml
check_status "length: the others run" 0
check_equal "length: what was measured is short" '"short"' \
    "$(length_of length 2)"
each_once length 4
study said 2 'profile: site
resources: {time: 20h}'
run "$THRONG" submit-file said.yaml
check_contains "length: a limit that is said chooses, too" "$out" \
    '+GPUJobLength = "medium"'
run "$THRONG" submit-file said.yaml --profile chtc
check_contains "length: CHTC's profile has them" "$out" \
    '+GPUJobLength = "medium"'
check_contains "length: and asks for its GPUs" "$out" '+WantGPULab = true'

# ---- data that may not leave its site ----------------------------------------------------------

echo 1 >patients.csv
study bound 2 "inputs: [{path: patients.csv, site_bound: true}]
$LOOK"
run "$THRONG" check bound.yaml --profile ospool
check "bound: check refuses it where jobs leave the site" test "$status" -ne 0
check_contains "bound: and says which" "$out$err" \
    "patients.csv is bound to its site"
run "$THRONG" run bound.yaml --profile ospool
check "bound: so does run" test "$status" -ne 0
check_equal "bound: nothing was submitted" 0 "$(clusters bound)"
run "$THRONG" submit-file bound.yaml --profile ospool
check "bound: and submit-file" test "$status" -ne 0
run "$THRONG" run bound.yaml --engine htcondor
check_status "bound: at its own site it runs" 0
each_once bound 2

# ---- a folder with a blank in its name -----------------------------------------------------------

mkdir -p "of mine/sub dir"
cp trial.sh "of mine/sub dir"
cd "of mine" || exit 1
study blank 2
sed -i 's|trial.sh|sub dir/trial.sh|' blank.yaml
run "$THRONG" run blank.yaml --engine htcondor
check_status "blank: it runs" 0
each_once blank 2
