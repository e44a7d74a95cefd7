#!/usr/bin/env bash
# An attempt ends, its worker writes down how long it ran, and both it and throng
# are killed before anybody has heard of it. Its time counts, as that of the
# trial does: who runs out of time has run as long as its attempts say.
. "$(dirname "$0")/lib.sh"

cat >task.sh <<'END'
if [ ! -e "$THRONG_CHECKPOINT/state" ]; then
    : >"$THRONG_CHECKPOINT/state"
    touch "$SIDE/began"
    while [ ! -e "$SIDE/go" ]; do sleep 0.05; done
    exit 85
fi
sleep 600
END
cat >study.yaml <<'END'
name: cut
command: [sh, task.sh]
method: grid
parameters: {a: {values: [1]}}
metric: {name: loss}
retries: 0
grace: 0.1
resources: {time: 4}
END
export SIDE=$TMP/side
mkdir "$SIDE"
worker_of() { # PID of the conductor
    local pid
    for pid in $(cat "/proc/$1/task/$1/children"); do
        if [ "$(cat "/proc/$pid/comm")" = throng-worker ]; then
            echo "$pid"
        fi
    done
}
kept() { find .throng/cut/trials -name .used -size +0 | grep .; }

"$THRONG" run -q study.yaml >/dev/null 2>&1 &
conductor=$!
to_end+=("$conductor")
wait_for 60 test -e "$SIDE/began"
worker=$(worker_of "$conductor")
to_end+=("$worker")
kill -STOP "$conductor"
sleep 0.5 # so that there is a time to be lost
touch "$SIDE/go"
check "the worker keeps how long it ran" wait_for 60 kept
seconds=$(cat "$(kept)")
kill -9 "$worker" "$conductor"
wait "$conductor" 2>/dev/null

run "$THRONG" run -q study.yaml
"$THRONG" show cut 1 --json >show.json
check_equal "its time counts, and the trial has no more than its own" \
    "timed_out 85 is unheard; kept; all of it" \
    "$(SECONDS_KEPT=$seconds python3 - <<'END'
import json, os
shown = json.load(open("show.json"))["trials"][0]
trial, rows = shown["trial"], shown["attempts"]
kept = float(os.environ["SECONDS_KEPT"])
first, over_all = rows[0]["seconds"], sum(a["seconds"] for a in rows)
print("%s %s; %s; %s" % (
    trial["state"],
    "85 is unheard" if rows[0]["outcome"] in ("interrupted", "lost")
    else rows[0]["outcome"],
    "kept" if abs(first - kept) < 0.002 else "%g of %g" % (first, kept),
    "all of it" if over_all >= 3.998 else over_all))
END
)"
