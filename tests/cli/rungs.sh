#!/usr/bin/env bash
# Early stopping with checkpoints, and trials that begin with another's.
# thorough: many studies with checkpoints
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
trials() { # STUDY EXPRESSION
    "$THRONG" export "$1" --jsonl >"$TMP/.out"
    json "$2"
}

# Trains from its checkpoint to its budget; each step is one line there. The
# times differ, so that trials end in another order than they began.
cat >train.sh <<'END'
file=$THRONG_CHECKPOINT/steps
n=$(cat "$file" 2>/dev/null | wc -l)
while [ "$n" -lt "${THRONG_BUDGET:-9}" ]; do
    n=$((n + 1))
    echo "trial $THRONG_TRIAL" >>"$file"
    throng report step=$n "loss=$(awk "BEGIN { print $1 + 1 / $n }")"
    sleep "0.0$((THRONG_TRIAL * 7 % 10))"
done
END
study() { # NAME MORE
    cat >"$1.yaml" <<END
command: [sh, train.sh, "{a}"]
metric: {name: loss}
parameters: {a: {min: 0.0, max: 1.0}}
run_cap: 18
seed: 5
early_terminate: {type: asha, max_iter: 9}
$2
END
}

# ---- asha ------------------------------------------------------------------
study asha "method: tpe"
run "$THRONG" run asha.yaml
check_status "a study with rungs runs" 0
check_equal "and comes to an end" "True" \
    "$(trials asha 'all(t["state"] in ("done", "stopped") for t in d)')"
check_equal "some went all the way" "True" \
    "$(trials asha 'sum(t["state"] == "done" for t in d) >= 1')"
run "$THRONG" explain asha "$(trials asha '[t["id"] for t in d if t["budget"] == 9][0]')"
check_contains "explain calls a rung no retry" "$out" \
    "It was given more 2 times, and went on from there."
check_lacks "which it was not" "$out" "retries"
check_equal "each made as many reports as its budget says, in one line" "True" \
    "$(trials asha 'all(t["attempts"] == {1: 1, 3: 2, 9: 3}[t["budget"]] for t in d)')"
id=$(trials asha '[t["id"] for t in d if t["state"] == "stopped"][0]')
run "$THRONG" show "$id"
check_matches "show tells why one stopped" "$out" \
    "^trial +$id +stopped: by early_terminate asha at [13]: [0-9.]+, threshold [0-9.]+\$"
check_matches "and its budget" "$out" '^budget   (1 step|3 steps)$'
run "$THRONG" explain asha "$id"
check_contains "so does explain" "$out" "by early_terminate asha"

# What an earlier attempt printed must not hide what this one prints.
sed 's/throng report/echo ::throng/' train.sh >print.sh
study printed "method: random"
sed -i 's/train.sh/print.sh/' printed.yaml
run "$THRONG" run printed.yaml
check_status "a program that prints its metrics runs with rungs" 0
check_equal "and only the last rung is the end of it" "True" \
    "$(trials printed '{t["budget"] for t in d if t["state"] == "done"} == {9}')"

# ---- a step again ----------------------------------------------------------
cat >again.yaml <<'END'
command: |
  for n in 1 2 3 4 5; do throng report step=$n loss=$((9 - n)); done
  [ "$THRONG_ATTEMPT" = 2 ] && sleep 1 && throng report step=6 loss=1
metric: {name: loss}
method: random
parameters: {a: {min: 0.0, max: 1.0}}
run_cap: 2
retries: 1
retry_delay: 0
early_terminate: {type: patience, patience: 3}
END
run "$THRONG" run again.yaml
check_equal "steps that a newer attempt reports again do not try one's patience" \
    "['done 2', 'done 2']" "$(trials again '["%s %d" % (t["state"], t["attempts"]) for t in d]')"

# ---- patience and a crash -----------------------------------------------------
cat >patient.sh <<'END'
n=$(cat "$THRONG_CHECKPOINT/n" 2>/dev/null || echo 0)
while [ $n -lt 200 ]; do
    n=$((n + 1))
    throng report step=$n loss=$((n < 3 ? 9 - n : 7))
    echo $n >"$THRONG_CHECKPOINT/n"
    [ $n != 6 ] || [ ! -e "$1/hang" ] || { touch "$1/hangs"; exec sleep 1000; }
    sleep 0.05
done
END
for name in calm crash; do
    cat >$name.yaml <<END
command: [sh, $PWD/patient.sh, $PWD]
metric: {name: loss}
method: random
parameters: {a: {min: 0.0, max: 1.0}}
run_cap: 1
early_terminate: {type: patience, patience: 8}
END
done
run "$THRONG" run calm.yaml
touch hang
"$THRONG" run crash.yaml >/dev/null 2>&1 &
conductor=$!
wait_for 30 test -e hangs
reported() { "$THRONG" show crash 1 | grep -Eq '^ *loss .* 6( |$)'; }
check "reports of a trial that hangs are stored" wait_for 30 reported
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
rm hang
run "$THRONG" run crash.yaml
why() { "$THRONG" show "$1" 1 | grep -o 'patience at.*'; }
check_contains "patience ends a trial" "$(why calm)" "at 10: nothing better than 7 in 8"
check_equal "and does not begin anew after a crash" "$(why calm)" "$(why crash)"

# ---- killed at any moment ---------------------------------------------------
study killed "method: tpe"
for round in 1 2 3 4 5 6; do
    "$THRONG" run killed.yaml >/dev/null 2>&1 &
    conductor=$!
    sleep "0.$((round * 13 % 60 + 20))"
    kill -9 "$conductor" 2>/dev/null
    wait "$conductor" 2>/dev/null
done
run "$THRONG" run killed.yaml
check_status "a study that was killed again and again goes on" 0
check_equal "no trial is lost" "18 True" "$(trials killed \
    '"%d %s" % (len(d), all(t["state"] in ("done", "stopped") for t in d))')"
check_equal "none was trained twice for the same step" "" "$(
    for file in .throng/killed/trials/*/*/checkpoint/steps; do
        trial=$(basename "$(dirname "$(dirname "$file")")")
        budget=$(trials killed "[t['budget'] for t in d if t['id'] == $trial][0]")
        [ "$(wc -l <"$file")" -le "$budget" ] || echo "$trial: $(wc -l <"$file") of $budget"
    done)"

# ---- the same table for any number of workers -------------------------------
for n in 1 4; do
    study "lag$n" "method: tpe
order: lag
lag: 3
parallel: $n"
    "$THRONG" run "lag$n.yaml" >/dev/null 2>&1
done
table='"\n".join("%d %s %s %r %s" % (t["id"], t["state"], t["params"], t["value"], t["reason"]) for t in d)'
check_equal "with lag all trials are there" 18 "$(trials lag1 'len(d)')"
check_equal "with lag the table is the same for 1 and 4 workers" \
    "$(trials lag1 "$table")" "$(trials lag4 "$table")"

# Some end before they can hear of anything, some report all at once, some
# slowly: a stop comes too late for each of them in another way.
cat >deaf.sh <<'END'
line() { echo "::throng step=$1 loss=$(awk "BEGIN { print $2 + $1 * (0.5 - $2) / 9 }") size=$1"; }
all=$(for n in 1 2 3 4 5 6 7 8 9; do line $n $1; done)
case $((THRONG_TRIAL % 3)) in
0) echo "$all" ;;
1) echo "$all"; sleep 0.3 ;;
*) echo "$all" | while read -r said; do echo "$said"; sleep 0.02; done ;;
esac
END
kinds=('{type: hyperband, min_iter: 1}' '{type: median, warmup_trials: 3}'
    '{type: asha, max_iter: 9, promote: false}' '{type: threshold, from: 2, threshold: 0.6}')
for kind in "${kinds[@]}"; do
    for n in 1 4 16; do
        sed -e "s/^early_terminate: .*/early_terminate: $kind/" -e 's/train.sh/deaf.sh/' -e 's/^run_cap: .*/run_cap: 36/' \
            -e "s/^lag: .*/lag: 16/" -e "s/^parallel: .*/parallel: $n/" lag1.yaml >deaf$n.yaml
        "$THRONG" run deaf$n.yaml --quiet 2>/dev/null
    done
    name=$(cut -d ' ' -f 2 <<<"$kind" | tr -d ,)
    table='"\n".join("%d %s %s %r %s %r" % (t["id"], t["state"], t["params"], t["value"], t["reason"], t["metrics"]) for t in d)'
    check_equal "$name: some were stopped, and some came to their end" "True" \
        "$(trials deaf1 '{t["state"] for t in d} == {"done", "stopped"} and len(d) == 36')"
    check_equal "$name: of those the value at the decision counts" "True" "$(trials deaf1 \
        'all(" at %d: " % t["metrics"]["size"]["last"] in t["reason"] for t in d if t["state"] == "stopped")')"
    check_equal "$name: the table is the same for 1 and 4 workers" "$(trials deaf1 "$table")" "$(trials deaf4 "$table")"
    check_equal "$name: and for 16" "$(trials deaf1 "$table")" "$(trials deaf16 "$table")"
    rm -r .throng/deaf*
done

# ---- beginning with another's checkpoint -------------------------------------
cat >pbt.yaml <<'END'
command: [sh, train.sh, "{a}"]
method: pbt
pbt: {population: 4, steps: 2}
metric: {name: loss}
parameters: {a: {min: 0.0, max: 1.0}}
run_cap: 12
seed: 5
parallel: 2
keep: all
END
run "$THRONG" run pbt.yaml
check_status "a study whose trials have parents runs" 0
trials pbt '"\n".join("%d %d" % (t["id"], t["parent"]) for t in d if t.get("parent"))' >parents
check_equal "most have one" "True" "$(python3 -c 'print(len(open("parents").readlines()) >= 6)')"
check_equal "and began with its checkpoint" "" "$(
    while read -r child parent; do
        at=.throng/pbt/trials/*/
        head -n "$(wc -l <$at/$parent/checkpoint/steps)" $at/$child/checkpoint/steps |
            cmp -s - $at/$parent/checkpoint/steps || echo "$child of $parent"
    done <parents)"
read -r child parent <parents
run "$THRONG" show pbt "$child"
check_contains "show names the parent" "$out" "parent   trial $parent,"
