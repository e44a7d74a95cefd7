#!/usr/bin/env bash
# Two that want the same study: the second is refused as long as the first
# lives, wherever it looks from; and one that was taken over harms nobody.
# thorough: waits until a holder is taken to be dead
. "$(dirname "$0")/lib.sh"

# Tasks that last until $TMP/go is there.
cat >s.yaml <<END
method: grid
command:
  - sh
  - -c
  - 'echo \$THRONG_TRIAL \$THRONG_ATTEMPT >>$TMP/starts;
     while [ ! -e $TMP/go ]; do sleep 0.05; done; echo ::throng y=1'
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
    to_end+=("$pid")
    wait_for 60 starts 2
}
outcomes() {
    sqlite3 -separator ' ' .throng/s/study.db \
        'select trial, number, outcome from attempts order by 1, 2'
}
# Stops a conductor, but not in the middle of a write: the store would be
# locked, for whoever takes over too.
stopped_between_writes() { # PID STUDY
    kill -STOP "$1"
    sqlite3 ".throng/$2/study.db" 'begin immediate; rollback' 2>/dev/null &&
        return
    kill -CONT "$1"
    return 1
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
    to_end+=("$pid")
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
wait_for 60 stopped_between_writes "$pid" s
"$THRONG" run s.yaml --take-over >second 2>&1 &
next=$!
to_end+=("$next")
check "with --take-over both trials begin anew" wait_for 60 starts 4
kill -CONT "$pid"
wait "$pid"
check_equal "the one that was taken over is refused" 5 $?
touch go
wait "$next"
check_equal "its end touches nothing of its successor" "0 1 2 1,2 2 1," \
    "$? $(outcomes | grep ' 2 ' | tr '\n' ',')"
check_lacks "whose worker lives to its end" "$(cat second)" "signal"

# ---- presumed dead, and still writing ---------------------------------------

# Each attempt goes on behind its checkpoint. The first one leaves somebody who
# is found by nothing, and who goes on writing where the first one did once
# $TMP/late is there: a node that was given up and lives.
cat >steps.sh <<'END'
step() { throng report "loss=$1" && echo "$1" >"$THRONG_CHECKPOINT/n"; }
stat -c %i "$THRONG_CHECKPOINT" >"inode.$THRONG_ATTEMPT"
cat "$THRONG_CHECKPOINT/n" >"began.$THRONG_ATTEMPT" 2>/dev/null
if [ "$THRONG_ATTEMPT" = 1 ]; then
    for n in 1 2 3; do step $n; done
    (setsid env -i PATH="$PATH" sh late.sh "$THRONG_CHECKPOINT" "$THRONG_METRICS" &)
    touch up
    exec sleep 1000
fi
[ "$1" = alone ] || touch late
while [ "$1" != alone ] && [ ! -e wrote ]; do sleep 0.05; done
for n in 4 5; do step $n; done
END
cat >late.sh <<'END'
while [ ! -e late ]; do sleep 0.05; done
echo '{"loss": 99}' >>"$2"
echo "::throng loss=98"
echo 99 >"$1/n"
touch wrote
END
presumed_study() { # ARGUMENT: of every attempt
    cat >p.yaml <<END
method: grid
command: [sh, steps.sh, $1]
parameters: {a: {values: [1]}}
metric: {name: loss}
END
    rm -rf .throng up late wrote inode.* began.*
    "$THRONG" run p.yaml >first 2>&1 &
    pid=$!
    to_end+=("$pid")
    wait_for 60 test -e up
}
# Value, greatest value, last step and number of points.
told() {
    python3 - <<'END'
import json, sqlite3
db = sqlite3.connect(".throng/p/study.db")
value, = db.execute("select value from trials").fetchone()
summary, = db.execute("select summary from texts").fetchone()
loss = json.loads(summary)["loss"]
print("%g %g %d %d" % (value, loss["max"], loss["step"], loss["count"]))
END
}
folders() {
    sqlite3 .throng/p/study.db \
        "select group_concat(ifnull(folder, 0) || '/' || ifnull(presumed, 0), ' ')
         from (select * from attempts order by number)"
}
presumed() { # HOW COMMAND...: the one that takes over is run by COMMAND
    local how=$1 code
    shift
    presumed_study -
    wait_for 60 stopped_between_writes "$pid" p
    "$@" "$THRONG" run p.yaml --take-over >second 2>&1
    code=$?
    check_equal "$how: who takes over comes to its end" 0 $code
    check_equal "the next attempt has a folder of its own" "0/1 2/0" "$(folders)"
    check_equal "which began with a copy of the checkpoint" 3 "$(cat began.2)"
    check_not "that is another one" cmp -s inode.1 inode.2
    check_equal "the old one wrote into its own" 99 \
        "$(cat .throng/p/trials/0/1/checkpoint/n)"
    check_equal "and the new one never saw it" 5 \
        "$(cat .throng/p/trials/0/1.2/checkpoint/n)"
    check_equal "all points are there, and none of the late ones" "5 5 4 5" \
        "$(told)"
    run "$THRONG" show p 1
    check_contains "show names the folder that counts" "$out" "trials/0/1.2"
    kill -CONT "$pid"
    wait "$pid"
    check_equal "who was taken over is refused" 5 $?
    run "$THRONG" run p.yaml
    check_equal "and so are its worker's last words" "0 5 5 4 5" \
        "$status $(told)"
    run "$THRONG" rm p 1 --yes
    check_equal "rm takes both folders" "0 " "$status $(ls .throng/p/trials/0)"
}
presumed "on this machine"
if "${others_space[@]}" true 2>/dev/null; then
    presumed "from where nothing of the old one can be seen" "${others_space[@]}"
else
    skip "from where nothing of the old one can be seen" \
        "unshare --pid is not permitted here"
fi

presumed_study alone
kill -9 "$pid"
wait "$pid" 2>/dev/null
run "$THRONG" run p.yaml
check_equal "after a death that is proven the trial goes on where it was" \
    "0 0/0 0/0 5 5 4 5" "$status $(folders) $(told)"
check "in the same folder" cmp -s inode.1 inode.2
touch late
