#!/usr/bin/env bash
# A store that is removed, moved or damaged under a study: the run ends with
# an error that says what to do, nothing is called done that is not there, and
# what it says to do helps.
. "$(dirname "$0")/lib.sh"

# Trial 1 ends at once, the others when $TMP/go is there.
cat >s.yaml <<END
command:
  - sh
  - -c
  - 'echo \$THRONG_TRIAL >>$TMP/starts;
     while [ \$THRONG_TRIAL != 1 ] && [ ! -e $TMP/go ]; do sleep 0.05; done;
     echo "::throng y=\$THRONG_TRIAL"'
points: [{a: 1}, {a: 2}, {a: 3}]
metric: {name: y}
parallel: 3
END
lines() { [ "$(wc -l <"$1" 2>/dev/null || echo 0)" -ge "$2" ]; }
one_done() {
    [ "$(sqlite3 .throng/s/study.db 'select count(*) from trials
        where state >= 3' 2>/dev/null)" = 1 ]
}
begin() { # a run whose trial 1 is done
    rm -rf .throng starts go
    "$THRONG" run s.yaml >out 2>said &
    pid=$!
    to_end+=("$pid")
    wait_for 60 lines starts 3
    wait_for 60 one_done
}
starts_of() { grep -c "^$1\$" starts; }

begin
rm -rf .throng
touch go
wait "$pid"
check_equal "a run whose store was removed does not end well" 1 $?
check_contains "it says that it was" "$(cat said)" "was removed while"
check_lacks "and not that all is done" "$(cat said)" "3/3 done"
saved=$(ls s.db.saved-*)
check_contains "what it knew is saved" "$(cat said)" "$saved"
eval "$(sed -n 's/.*`\(mkdir -p [^`]*\)`.*/\1/p' said)"
run "$THRONG" run s.yaml
check_status "put back as it says, the next run goes on" 0
check_equal "to the end" "1=1.0 2=2.0 3=3.0 " \
    "$(sqlite3 -separator = .throng/s/study.db \
        'select id, value from trials' | tr '\n' ' ')"
check_equal "and does nothing again that was done" 1 "$(starts_of 1)"

# A study that is begun at its place meanwhile is not overwritten.
begin
rm -rf .throng
mkdir -p .throng/s
touch .throng/s/study.db go
wait "$pid"
eval "$(sed -n 's/.*`\(mkdir -p [^`]*\)`.*/\1/p' said)"
check_equal "what was begun there since stays" "" "$(cat .throng/s/study.db)"
check_equal "beside it lies what was saved" "1=1.0 " \
    "$(sqlite3 -separator = .throng/s-saved/study.db 'select id, value
        from trials where state = 3 and id = 1' | tr '\n' ' ')"
rm -rf .throng s.db.saved-*

begin
rm .throng/s/study.db*
wait "$pid"
check_equal "a long run notices it while its tasks run" 1 $?
check_contains "and saves it in its folder" "$(echo .throng/s/*)" \
    "study.db.saved-"

check_equal "nothing of the old one stays beside it" "" \
    "$(ls .throng/s | grep -E 'study.db-(wal|shm)')"
eval "$(tr '\n' ' ' <said | sed -n 's/.*`\(mkdir -p [^`]*\)`.*/\1/p')"
touch go
run "$THRONG" run s.yaml
check_status "put back, it goes on to the end" 0

begin
mv .throng elsewhere
touch go
wait "$pid"
check_equal "a store that was moved ends the run, too" 1 $?
check_contains "which says where it is" "$(cat said)" \
    "moved to $TMP/elsewhere/s while"
mv elsewhere .throng
run "$THRONG" run s.yaml
check_status "moved back, the next run goes on" 0

# ---- damaged ----------------------------------------------------------------

page_of() { # TABLE: the number of its first page
    sqlite3 .throng/s/study.db \
        "select rootpage from sqlite_schema where name = '$1'"
}
harm() { # TABLE
    local page
    page=$(page_of "$1")
    printf 'ZZZZZZZZZZZZZZZZ' | dd of=.throng/s/study.db bs=1 \
        seek=$(((page - 1) * 4096)) conv=notrunc 2>/dev/null
}
begin
kill -9 "$pid"
wait "$pid" 2>/dev/null
sqlite3 .throng/s/study.db 'pragma wal_checkpoint(truncate)' >/dev/null
harm tags
touch go
run "$THRONG" run s.yaml
check_status "after a crash a damaged store is found before anything runs" 1
check_contains "it is called damaged" "$err" "study.db is damaged"
(cd .throng/s && eval "$(tr '\n' ' ' <"$TMP/.err" |
    sed -n 's/.*`\(sqlite3 [^`]* | sqlite3 [^`]*\)`.*/\1/p')" 2>/dev/null)
check_equal "what it says reads what can be read" "1=1.0" \
    "$(sqlite3 -separator = .throng/s/study.db.new \
        'select id, value from trials where state = 3')"
mv .throng/s/study.db.new .throng/s/study.db
rm -f .throng/s/study.db-wal .throng/s/study.db-shm
run "$THRONG" run s.yaml
check_status "and the study goes on with that" 0

rm -rf .throng
run "$THRONG" run s.yaml
harm events
run "$THRONG" run s.yaml
check_status "a damaged page that a clean start meets is an error" 1
check_contains "that says so" "$err" "study.db is damaged"

rm -rf .throng
run "$THRONG" run s.yaml
python3 - .throng/s/study.db <<'END'
import sys
with open(sys.argv[1], "r+b") as f:
    text = f.read()
    at = text.index(b'"a":')  # of a trial's point
    f.seek(at + 4)
    f.write(bytes([text[at + 4] ^ 1]))
END
run "$THRONG" export s --jsonl
check_status "a bit that makes one value of another is an error" 1
check_contains "that says that a page has changed" "$(tr '\n' ' ' <"$TMP/.err")" \
    "is not as throng wrote it"

# ---- a log that is damaged after a crash --------------------------------------

cat >log.yaml <<'END'
command: sh -c 'echo ::throng loss={x}; test {x} -lt 40 || test -e log-may-end || sleep 300'
method: grid
grid: {order: written}
metric: {name: loss}
parallel: 1
parameters: {x: {min: 1, max: 40, distribution: int_uniform}}
END
"$THRONG" run log.yaml >/dev/null 2>&1 &
conductor=$!
last_one_runs() { [ "$(sqlite3 -readonly .throng/log/study.db \
    'select count(*) from attempts where trial = 40 and started > 0')" = 1 ]; }
wait_for 60 last_one_runs
pkill -STOP -P "$conductor" throng-worker
kill -9 "$conductor" "$(pgrep -P "$conductor" throng-worker)"
wait "$conductor" 2>/dev/null
python3 - .throng/log/study.db-wal <<'END'
import sys
with open(sys.argv[1], "r+b") as f:
    text = f.read()
    f.seek(len(text) // 3)
    f.write(bytes([text[len(text) // 3] ^ 4]))
END
touch log-may-end
run "$THRONG" run log.yaml --take-over
check_status "a study whose log was damaged goes on" 0
check_contains "and says that results were lost with it" "$(tr '\n' ' ' <"$TMP/.err")" \
    "study.db-wal is damaged: what stood behind that place"
check_equal "they are made again" 40 "$("$THRONG" export log --jsonl | grep -c '"done"')"

# ---- texts in it that make no sense -----------------------------------------

rm -rf .throng
run "$THRONG" run s.yaml
sqlite3 .throng/s/study.db \
    "insert or replace into facts values ('goals', '{\"a' || char(1))" \
    VACUUM
run "$THRONG" status s
check_status "a goal that is no text of ours is an error" 1
check_contains "that calls the store damaged" "$err" "study.db is damaged"
check_contains "and says what to do" "$err" "keep a copy of it"

# ---- studies that nobody may look at ---------------------------------------

rm -rf .throng
mkdir -p .throng/empty
touch .throng/empty/lease.json
check_lacks "a study without a store has no date" "$("$THRONG" ls)" "1970"

# ---- a runtime folder that is none ------------------------------------------

touch no-folder
run env THRONG_RUNTIME_DIR="$TMP/no-folder" "$THRONG" run s.yaml
check_status "a runtime folder that is none does not keep a study from running" 0
check_equal "it is said once" 1 "$(grep -c "no-folder is no folder" "$TMP/.err")"
