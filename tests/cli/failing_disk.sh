#!/usr/bin/env bash
# A disk that fails, and file systems that lack something: it is said what
# failed, and when that is mended nothing is lost. What happens when it stays so
# is in hostile_machine.sh.
. "$(dirname "$0")/lib.sh"

faulty=$THRONG_BUILD/tests/cli/faulty
"$faulty" linkat=EPERM -- true 2>/dev/null ||
    skip_all "system calls cannot be made to fail here"

lines() { [ "$(wc -l <"$1" 2>/dev/null || echo 0)" -ge "$2" ]; }
says() { grep -q "$1" said; }
values() { # STUDY: state and value of each trial
    "$THRONG" export "$1" --jsonl | python3 -c 'import json, sys
print(*("%s=%s" % (t["state"], t["value"]) for t in map(json.loads, sys.stdin)))'
}

# ---- no hard links, no links at all -----------------------------------------

# As on FAT: neither kind of link, nor a rename that replaces nothing. The tasks
# find `throng` where throng puts it, and nowhere else.
cat >fat.yaml <<'END'
method: grid
command: [sh, -c, 'throng report y={a}; echo {a} >"$THRONG_OUTPUT/o"; echo 1 >"$THRONG_CHECKPOINT/n"']
parameters: {a: {min: 1, max: 4}}
metric: {name: y}
keep: best:2
END
without_links=("$faulty" --log refused link,linkat=EPERM renameat2=EINVAL
    'symlink,symlinkat=EPERM@*/.throng/*' -- env "PATH=/usr/bin:/bin" "$THRONG")
run "${without_links[@]}" run fat.yaml
check_status "without links a study runs" 0
check_equal "and all of its trials have reported" \
    "done=1.0 done=2.0 done=3.0 done=4.0" "$(values fat)"
check "a hard link was refused" grep -q '^link' refused
check "and a link" grep -q '^symlink' refused
check_equal "no half made store is left" "" "$(find .throng -name '*.new-*')"
run "${without_links[@]}" add fat a=2
check_status "trials can be added there" 0
run "${without_links[@]}" run fat.yaml
check_equal "and the study goes on" "0 5" "$status $(values fat | wc -w)"
run "${without_links[@]}" rm fat --yes
check_equal "and can be removed" "0 " "$status $(ls .throng 2>/dev/null)"

# ---- study.db cannot be written ---------------------------------------------

# A trial reports once at its start and once when it may end.
cat >task.sh <<END
throng report y=\$1
echo >>$TMP/began
while [ ! -e $TMP/go ]; do sleep 0.05; done
throng report y=\$((\$1 * 10))
END
cat >disk.yaml <<END
method: grid
command: [sh, $TMP/task.sh, '{a}']
parameters: {a: {min: 1, max: 6}}
grid: {order: written}
metric: {name: y}
parallel: 2
grace: 0s
END
all_done="done=10.0 done=20.0 done=30.0 done=40.0 done=50.0 done=60.0"
heard() { # STUDY
    [ "$("$THRONG" export "$1" --jsonl | grep -c '"last":[12].0')" = 2 ]
}
begin() { # STUDY RULE...: runs it until two trials have been heard
    local study=$1
    shift
    rm -f broken go began refused
    "$faulty" --while broken --log refused "$@" -- \
        "$THRONG" run disk.yaml --new "$study" >/dev/null 2>said &
    pid=$!
    wait_for 60 lines began 2
    wait_for 60 heard "$study"
}
writes='pwrite64,write,fdatasync,fsync,ftruncate=EIO@*/study.db*'

begin passes "$writes"
touch broken go
check "a store that cannot be written is said to be one" \
    wait_for 60 says "study.db: .*Input/output error; trying again"
check_lacks "and not a disk that is full" "$(cat said)" "room"
rm broken
wait $pid
check_equal "mended, the study comes to its end" "0 $all_done" \
    "$? $(values passes)"
check "which is said, too" says "can be written again"

begin killed "$writes"
touch broken go
check "what cannot be written is tried again" wait_for 60 says "trying again"
kill_both $pid
wait $pid 2>/dev/null
rm broken
run "$THRONG" run disk.yaml --new killed
check_equal "killed meanwhile, the next run has all of it" "0 $all_done" \
    "$status $(values killed)"
check_equal "the store is sound" ok \
    "$(sqlite3 .throng/killed/study.db 'pragma integrity_check')"

begin interrupted "$writes"
touch broken
kill -INT $pid
wait_for 60 says "press Ctrl-C again"
kill -INT $pid
rm broken
wait $pid
check_equal "so is it when it is interrupted" 130 $?
touch go
run "$THRONG" run disk.yaml --new interrupted
check_equal "and goes on" "0 $all_done" "$status $(values interrupted)"

# ---- what tasks said cannot be read ------------------------------------------

begin unread 'pread64,read=EIO@*/metrics.jsonl'
touch broken go
check "a metrics file that cannot be read is said to be one" \
    wait_for 60 says "metrics file cannot be read: Input/output error"
rm broken
wait $pid
check_equal "mended, no value is an older one" "0 $all_done" \
    "$? $(values unread)"

sed -i.report 's/throng report/echo ::throng/' task.sh
begin unprinted 'pread64=EIO@*/log'
touch broken go
check "so is output" \
    wait_for 60 says "output cannot be read: Input/output error"
rm broken
wait $pid
check_equal "of which nothing is lost either" "0 $all_done" \
    "$? $(values unprinted)"
mv task.sh.report task.sh

# A worker that is to end does not wait for the disk.
begin hasty 'pread64,read=EIO@*/metrics.jsonl'
touch broken go
wait_for 60 says "cannot be read"
kill -TERM $pid
began=$(date +%s)
wait $pid
check_equal "a study can be ended meanwhile" 130 $?
check "soon" test $(($(date +%s) - began)) -lt 25
rm broken
run "$THRONG" run disk.yaml --new hasty
check_equal "and its next run has all values" "0 $all_done" \
    "$status $(values hasty)"

# ---- trials cannot begin ------------------------------------------------------

rm -f began refused
touch broken go
"$faulty" --while broken --log refused 'mkdir,mkdirat=EIO@*/trials/*' -- \
    "$THRONG" run disk.yaml --new unmade >/dev/null 2>said &
pid=$!
check "a trial without a folder waits, and says why" \
    wait_for 60 says "waits: .*Input/output error"
rm broken
wait $pid
check_equal "mended, none has failed for it" "0 $all_done" "$? $(values unmade)"
