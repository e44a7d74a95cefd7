#!/usr/bin/env bash
# Two that want the same study: the second is refused as long as the first
# lives, wherever it looks from; and one that was taken over harms nobody.
. "$(dirname "$0")/lib.sh"

started=()
end_started() {
    local pid
    for pid in "${started[@]}"; do
        kill -CONT "$pid" 2>/dev/null
        kill -9 "$pid" 2>/dev/null
    done
}
trap 'code=$?; end_started; (exit $code); finish' EXIT

# Tasks that last until $TMP/go is there.
cat >s.yaml <<END
method: grid
command:
  - sh
  - -c
  - 'echo \$THRONG_TRIAL \$THRONG_ATTEMPT >>$TMP/starts;
     while [ ! -e $TMP/go ]; do sleep 0.05; done; echo y=1'
parameters: {a: {values: [1, 2]}}
metric: {name: y}
parallel: 2
END
starts() { [ "$(wc -l <starts 2>/dev/null || echo 0)" -ge "$1" ]; }
ended() { ! kill -0 "$1" 2>/dev/null; }
anew() { rm -rf .throng starts go; }
begin() { # FILE: a run that is under way, its process in $pid
    anew
    "$THRONG" run s.yaml >"$1" 2>&1 &
    pid=$!
    started+=("$pid")
    wait_for 60 starts 2
}
outcomes() {
    sqlite3 -separator ' ' .throng/s/study.db \
        'select trial, number, outcome from attempts order by 1, 2'
}
others_space=(unshare --kill-child --pid --fork --mount-proc)

# ---- another pid namespace --------------------------------------------------

if "${others_space[@]}" true 2>/dev/null; then
    begin first
    run "${others_space[@]}" "$THRONG" run s.yaml
    check_status "a run in another pid namespace is refused" 5
    run "${others_space[@]}" "$THRONG" note 1 hello
    check_status "a note from there is heard" 0
    check "and takes nothing" kill -0 "$pid"
    touch go
    wait "$pid"
    check_equal "the first comes to its end" "0 1 1 1,2 1 1," \
        "$? $(outcomes | tr '\n' ',')"
    check_equal "with the note" "hello" \
        "$(sqlite3 .throng/s/study.db 'select note from texts where id = 1')"

    anew
    "${others_space[@]}" "$THRONG" run s.yaml >first 2>&1 &
    pid=$!
    started+=("$pid")
    wait_for 60 starts 2
    run "$THRONG" run s.yaml
    check_status "nor is one inside of a namespace taken from outside" 5
    read -r inside <"/proc/$pid/task/$pid/children"
    kill -9 $inside
    wait "$pid" 2>/dev/null
    touch go
    run "$THRONG" run s.yaml
    check_status "killed, it is known to be dead at once" 0
else
    skip "another pid namespace" "unshare --pid is not permitted here"
fi

# ---- taken over -------------------------------------------------------------

begin first
kill -STOP "$pid"
"$THRONG" run s.yaml --take-over >second 2>&1 &
next=$!
started+=("$next")
check "with --take-over both trials begin anew" wait_for 60 starts 4
kill -CONT "$pid"
wait "$pid"
check_equal "the one that was taken over is refused" 5 $?
touch go
wait "$next"
check_equal "its end touches nothing of its successor" "0 1 2 1,2 2 1," \
    "$? $(outcomes | grep ' 2 ' | tr '\n' ',')"
check_lacks "whose worker lives to its end" "$(cat second)" "signal"
