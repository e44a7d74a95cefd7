#!/usr/bin/env bash
# A machine of an HTCondor pool on which nothing goes well is left out, and
# named: by what is submitted from then on, and by what waits already.
# timeout: 600
# A submission begins after 1 to 2 s, to be quick.
export CONDOR_TEST_FIRST=1-2 CONDOR_TEST_PACE=0.1 CONDOR_TEST_MACHINES=2 \
    CONDOR_TEST_CPUS=2
. "$(dirname "$0")/condor/lib.sh"
stand_in_only "a bad machine" || exit 0

bad=$(condor_status -af Machine | sort | tail -n 1)
cat >trial.sh <<SH
if grep -q '^Machine = "$bad"' "\$_CONDOR_MACHINE_AD"; then
    echo no such library >&2
    exit 127
fi
sleep 1
echo "::throng loss=\$1"
SH
cat >bad.yaml <<'YAML'
command: [sh, trial.sh, "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters: {x: {distribution: int_uniform, min: 1, max: 40}}
retries: 3
htcondor: {look: 0.5, bundle_time: 0.01}  # a job each
YAML
run "$THRONG" run bad.yaml --engine htcondor --keep-going
check_matches "the machine is named" "$err" \
    "jobs in a row failed at once on node $bad .* it is left out"
check_equal "it alone, and once" 1 "$(grep -c 'left out from' <<<"$err")"
# Jobs of the array that was submitted first, and waited meanwhile.
check "what waited does without it" \
    test "$(grep -c "SlotName: .*$bad" .throng/bad/jobs/*/events.log |
        awk -F: '{ n += $2 } END { print n }')" -lt 20
"$THRONG" retry bad failed >/dev/null 2>&1
run "$THRONG" run bad.yaml --engine htcondor
check_equal "all trials end well elsewhere" 40 "$(done_of bad)"
