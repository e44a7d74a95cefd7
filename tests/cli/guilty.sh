#!/usr/bin/env bash
# Trials that take others down with them: who is blamed, and who is not.
. "$(dirname "$0")/lib.sh"

states() { # STUDY
    run "$THRONG" export "$1" --jsonl
    python3 -S "$ROOT/tests/cli/json_look.py" \
        '" ".join(t["state"] for t in (d if isinstance(d, list) else [d]))' \
        "$TMP/.out"
}

# ---- a worker that is killed by one of its tasks ------------------------------
cat >worker.yaml <<'END'
command: [sh, task.sh]
method: grid
grid: {order: written}
parallel: 2
metric: {name: loss}
parameters: {who: {values: [innocent, guilty]}}
END
# Neither does anything before both run, or the first would be gone too soon.
cat >task.sh <<'END'
touch "$SIDE/$THRONG_P_who.$THRONG_ATTEMPT"
[ "$THRONG_P_who" = innocent ] || {
    [ "$THRONG_ATTEMPT" -gt 2 ] ||
        until [ -e "$SIDE/innocent.$THRONG_ATTEMPT" ]; do sleep 0.05; done
    kill -9 $PPID
    sleep 1000
}
[ "$THRONG_ATTEMPT" -gt 2 ] || sleep 1000
throng report loss=1
END
export SIDE=$TMP/side
mkdir "$SIDE"
run timeout 200 "$THRONG" run worker.yaml
check_equal "a neighbour that kills the worker fails, and nobody else" \
    "3 done failed" "$status $(states worker)"
run "$THRONG" explain worker 2
check_contains "because it was lost too often" "$out" "lost 3 times"

# ---- who waits because of it ---------------------------------------------------
# Lost together twice, they run one after the other: the first stays for a while.
mkdir "$SIDE/apart"
sed 's/task.sh/apart.sh/' worker.yaml >apart.yaml
{
    echo 'SIDE=$SIDE/apart'
    echo 'touch "$SIDE/$THRONG_P_who.$THRONG_ATTEMPT"'
    echo '[ "$THRONG_ATTEMPT" -lt 3 ] || until [ -e "$SIDE/seen" ]; do sleep 0.05; done'
    cat task.sh
} >apart.sh
timeout 200 "$THRONG" run apart.yaml >apart.out 2>&1 &
conductor=$!
# Its file is there before the store has heard that it runs.
one_is_alone() {
    [ -e "$SIDE/apart/innocent.3" ] || [ -e "$SIDE/apart/guilty.3" ] &&
        [ "$(states apart | grep -o running | wc -l)" = 1 ]
}
check "one of two suspects runs alone" wait_for 100 one_is_alone
run "$THRONG" explain apart waiting
check_contains "the other one is kept apart, and knows it" "$out" \
    "It is kept apart: it was lost together with others"
check_contains "it says for what it waits" "$out" \
    "It begins when nothing else runs; 1 runs now"
check_lacks "which is no want of room" "$out" "waits for room"
touch "$SIDE/apart/seen"
wait "$conductor"

# ---- conductor and worker are killed by a task --------------------------------
# The worker shall have no time to notice that its conductor is gone.
cat >both.yaml <<'END'
command: [sh, both.sh]
method: grid
parallel: 1
parameters: {n: {values: [1]}}
END
cat >both.sh <<'END'
conductor=$(ps -o ppid= -p $PPID)
kill -STOP $PPID
kill -9 $conductor $PPID
sleep 1000
END
for _ in 1 2 3; do
    timeout 200 "$THRONG" run both.yaml >said 2>&1
    code=$?
done
check_equal "a trial may take conductor and worker down three times" 137 $code
run timeout 200 "$THRONG" run both.yaml
check_equal "but not for ever" "3 failed" "$status $(states both)"

# ---- the conductor alone is killed by a task -----------------------------------
# A person's kill of a run with one trial at a time looks the same, so nobody is
# blamed. But who was there is said.
cat >alone.yaml <<'END'
command: [sh, alone.sh]
method: grid
grid: {order: written}
parallel: 1
metric: {name: loss}
parameters: {who: {values: [innocent, guilty]}}
END
cat >alone.sh <<'END'
throng report loss=1
[ "$THRONG_P_who" = innocent ] || {
    kill -9 $(ps -o ppid= -p $PPID)
    sleep 1000
}
END
for n in 1 2 3; do
    timeout 200 "$THRONG" run alone.yaml >said 2>&1
    code=$?
    [ $n = 3 ] || check_lacks "nothing is said after the first ones" \
        "$(cat said)" "nobody asked for"
done
check_equal "a trial may end throng three times" 137 $code
timeout 200 "$THRONG" run alone.yaml >said 2>&1
check_equal "and a fourth time" 137 $?
check_contains "but run says who was there" "$(tr '\n' ' ' <said)" \
    "the last 3 ends of throng that nobody asked for trial 2 was running"
run "$THRONG" explain alone 2
check_contains "so does explain" "$out" "the last 3 ends of throng"
check_contains "with the way out" "$out" "\`throng kill 2\`"
run "$THRONG" kill alone 2
run timeout 200 "$THRONG" run alone.yaml
check_equal "which is one" "0 done killed" "$status $(states alone)"
