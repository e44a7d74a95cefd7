#!/usr/bin/env bash
# What is told of a study on HTCondor: what would be submitted, before the first
# run; what cannot be sent, which ends the run until it is mended; and what is
# not known of trials while their jobs run.
# timeout: 300
export CONDOR_TEST_FIRST=0.2-0.5 CONDOR_TEST_PACE=0.1
. "$(dirname "$0")/condor/lib.sh"

study() { # NAME CODE PROGRAM
    cat >"$1.yaml" <<YAML
command: [sh, $3, "{x}"]
code: $2
method: grid
metric: {name: loss, goal: minimize}
parameters: {x: {values: [1, 2]}}
htcondor: {look: 0.5}
YAML
}
echo 'echo "::throng loss=$1"' >trial.sh
FILES='^(initialdir|transfer_input_files) ='

# ---- what would be submitted ----------------------------------------------------------

described() { # STUDY: the files that it names, whatever its number of jobs
    "$THRONG" submit-file "$1" --engine htcondor 2>&1 |
        grep -E "$FILES" | sed 's|jobs/[0-9]*/|jobs/N/|g'
}
mkdir -p repository/study && cd repository/study || exit 1
git init -q .. && cp ../../trial.sh .. && echo 1 >../top.txt
study inside git ../trial.sh
git add .. && echo 1 >../untracked.txt
before=$(described inside.yaml)
check_lacks "inside: files are named as they will lie there" "$before" "../"
check_contains "inside: below the frozen code" "$before" \
    "initialdir = $PWD/.throng/inside/code"
check_contains "inside: all of it" "$before" ", study, top.txt, trial.sh"
check_lacks "inside: and nothing else" "$before" untracked
check "inside: nothing was made for it" test ! -e .throng
run "$THRONG" run inside.yaml --engine htcondor
check_status "inside: it runs" 0
check_equal "inside: what was submitted was described" "$before" \
    "$(grep -E "$FILES" .throng/inside/jobs/1/job.sub |
        sed 's|jobs/[0-9]*/|jobs/N/|g')"
echo 1 >../more.txt && git add ..
sed -i 's/\[1, 2\]/[1, 2, 3]/' inside.yaml
check_equal "inside: code that trials have run is not frozen anew" "$before" \
    "$(described inside.yaml)"
cd ../.. || exit 1

# ---- what cannot be sent ----------------------------------------------------------------

mkdir named && cd named || exit 1
cp ../trial.sh . && echo 1 >'a,b.txt'
study comma copy trial.sh
run timeout 60 "$THRONG" run comma.yaml --engine htcondor
check_status "comma: the run ends with an error" 1
check_contains "comma: which says why" "$err" "a,b.txt has a ','"
run "$THRONG" submit-file comma.yaml --engine htcondor
check_status "comma: nothing can be submitted of it" 1
check_contains "comma: for the same reason" "$err" "a,b.txt has a ','"
mv 'a,b.txt' ab.txt
run "$THRONG" run comma.yaml --engine htcondor
check_status "comma: after the fix the study goes on" 0
check_equal "comma: and every trial is done" 2 \
    "$("$THRONG" export comma | tail -n +2 | grep -c done)"
cd .. || exit 1

# ---- while jobs run ------------------------------------------------------------------------

NOTE="known when their job ends"
cat >waits.sh <<SH
while [ ! -e "$PWD/go" ]; do sleep 0.1; done
echo "::throng loss=\$1"
SH
study meanwhile copy waits.sh
if stand_in_only "meanwhile: trials in jobs that run"; then
    "$THRONG" run meanwhile.yaml --engine htcondor >meanwhile.out 2>&1 &
    conductor=$!
    tells() { "$THRONG" status meanwhile | grep -q "$1"; }
    check "meanwhile: status tells of jobs that run" wait_for 60 tells RUNNING
    check "meanwhile: and what is known of their trials" tells "$NOTE"
    touch go
    wait $conductor
    check_equal "meanwhile: it runs to its end" 0 $?
    run "$THRONG" status meanwhile
    check_lacks "meanwhile: behind it nothing is unknown" "$out" "$NOTE"
fi

# ---- the stand-in -----------------------------------------------------------------------------

# HTCondor's source (FileTransfer::DoDownload) has code 12, of who receives, and
# EPERM.
if stand_in_only "above: an input that leads out of the sandbox"; then
    mkdir below && echo 1 >above.txt
    printf '%s\n' 'executable = /bin/true' 'should_transfer_files = YES' \
        'preserve_relative_paths = true' 'transfer_input_files = ../above.txt' \
        'log = above.log' 'queue' >below/above.sub
    (cd below && condor_submit above.sub >/dev/null)
    held() { grep -q 'Code 12 Subcode 1' below/above.log; }
    check "above: an input that leads out of the sandbox holds its job" \
        wait_for 60 held
fi
