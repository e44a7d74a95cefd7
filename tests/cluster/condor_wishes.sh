#!/usr/bin/env bash
# One trial of a bundle is stopped, or killed, while its job runs on HTCondor:
# it hears of it soon, and nothing of its neighbours is lost.
# timeout: 600
# A submission begins after 1 to 2 s, to be quick.
export CONDOR_TEST_FIRST=1-2 CONDOR_TEST_PACE=0.1
. "$(dirname "$0")/condor/lib.sh"

# Those from 3 on are as good as endless; it is seen from outside that they run.
cat >trial.sh <<'SH'
. ./side.sh
echo "$1" >>"$side/begun"
echo "::throng loss=$1"
if [ "$1" -ge 3 ] && [ "$1" -le "$last" ]; then
    n=0
    while [ "$n" -lt 3000 ] && [ ! -e "$THRONG_STOP" ]; do
        n=$((n + 1))
        sleep 0.1
    done
fi
SH
# One after the other: the first measures, the others are one bundle.
study() { # NAME LAST
    mkdir -p "$PWD/side.$1" "$1"
    cp trial.sh "$1"
    echo "side=$PWD/side.$1 last=$2" >"$1/side.sh"
    cat >"$1/$1.yaml" <<'YAML'
command: [sh, trial.sh, "{x}"]
inputs: [side.sh]
method: grid
metric: {name: loss, goal: minimize}
parameters: {x: {values: [1, 2, 3, 4, 5]}}
parallel: 1
htcondor: {look: 0.5}
YAML
}
begins() { # NAME X
    grep -qx "$2" "../side.$1/begun" 2>/dev/null
}
state() { # NAME TRIAL
    "$THRONG" export "$1" | awk -F, -v x="$2" '$1 == x { print $2 }'
}

if stand_in_only "a trial of a bundle is stopped" "or killed"; then
    states=
    for verb in stop kill; do
        study $verb 3
        cd $verb || exit 1
        "$THRONG" run $verb.yaml --engine htcondor >$verb.out 2>&1 &
        conductor=$!
        check "$verb: the third trial runs" wait_for 120 begins $verb 3
        run "$THRONG" $verb $verb 3
        check_status "$verb: it is asked for" 0
        check_contains "$verb: and said when it happens" "$err" \
            "hears of it when its job is begun again"
        wait "$conductor"
        check_equal "$verb: the study ends by itself" 0 $?
        "$THRONG" export $verb >$verb.csv
        check_equal "$verb: its neighbours have their results, once" \
            "1 2 4 5" "$(awk -F, '$2 == "done" { print $3 + 0 }' $verb.csv |
                sort -n | xargs)"
        states+=" $(state $verb 3)"
        check_equal "$verb: which ran once" "1 1 1 1" \
            "$(for x in 1 2 4 5; do grep -cx $x ../side.$verb/begun; done | xargs)"
        cd ..
    done
    check_equal "it counts as what was asked for" " stopped killed" "$states"
fi
