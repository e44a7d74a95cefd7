#!/usr/bin/env bash
# A machine that does not play along: no room, no right to write, programs
# that cannot be started, one that floods its output, a clock that jumps. Each
# gives a clear message, nothing is lost, nothing hangs.
# thorough: waits for a machine that does not play along
. "$(dirname "$0")/lib.sh"

mounted=()
unmount_all() {
    local m
    for m in "${mounted[@]}"; do
        umount -l "$m" 2>/dev/null
    done
}
trap 'code=$?; unmount_all; (exit $code); finish' EXIT

small_disk() { # FOLDER SIZE
    mkdir -p "$1" && mount -t tmpfs -o "size=$2" none "$1" 2>/dev/null || return
    mounted+=("$1")
}

states() { # of the study here, as `done=3 failed=1`
    "$THRONG" export --jsonl | sed 's/.*"state":"\([a-z_]*\)".*/\1/' |
        sort | uniq -c | awk '{ printf "%s%s=%s", s, $2, $1; s = " " }'
}

# Every attempt that a task wrote down is in the store, and nothing else is
# out: two texts to compare.
starts_seen() { sort -n "$1" | uniq; }
starts_stored() {
    sqlite3 -separator ' ' .throng/s/study.db \
        'select trial, number from attempts order by trial, number'
}

# ---- fewer descriptors than tasks ------------------------------------------------
mkdir short
cat >short/s.yaml <<'END'
method: grid
parallel: 60
command: [sh, -c, 'sleep 0.2; exit 0']
parameters: {a: {min: 1, max: 90}}
END
run bash -c "ulimit -n 64; exec timeout 200 '$THRONG' run short/s.yaml"
check_status "where there are descriptors for some, those run" 0
check_contains "and all is done" "$err" "90/90 done"
check_contains "which is said" "$err" "no more than"

# ---- fewer processes than tasks want ----------------------------------------------
# The limit is not root's. Another user of a number that nobody else has.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    other=$((50000 + $$ % 9000))
    mkdir forks
    cat >forks/s.yaml <<'END'
method: grid
parallel: 60
command: [sh, -c, 'sleep 0.3; sleep 0.1; true']
parameters: {a: {min: 1, max: 90}}
END
    chown -R $other forks
    chmod 755 "$TMP"
    cp "$THRONG" "$THRONG_BUILD/throng-worker" forks/
    run setpriv --reuid=$other --regid=$other --clear-groups bash -c \
        "cd '$TMP/forks' && ulimit -u 40 && HOME=$TMP/forks exec timeout 300 ./throng run s.yaml"
    check_status "where tasks find processes for some, those run" 0
    check_contains "and none fails for it" "$err" "90/90 done"
    check_contains "the limit is named, and what to do" "$err" "ulimit -u"
else
    skip "where tasks find processes for some, those run" "needs root"
fi

# ---- disk full -------------------------------------------------------------

# A study whose tasks write nothing beside it; $1 starts are seen before the
# disk is filled to its last byte.
disk_study() {
    cat >s.yaml <<END
method: grid
command: [sh, -c, 'echo \$THRONG_TRIAL \$THRONG_ATTEMPT >>$TMP/starts; sleep 0.1']
parameters: {a: {min: 1, max: 60}}
parallel: 2
retries: 1
retry_delay: 0
END
}
fill_disk() { cat /dev/zero >"$1/ballast" 2>/dev/null; :; }
enough_starts() { [ "$(wc -l <"$TMP/starts")" -ge "$1" ]; }
says() { grep -Eiq "$1" "$2"; }

if small_disk "$TMP/disk" 8m; then
    cd "$TMP/disk" || exit 1
    disk_study && : >"$TMP/starts"
    "$THRONG" run s.yaml >/dev/null 2>"$TMP/said" &
    pid=$!
    wait_for 20 enough_starts 5
    fill_disk .
    check "a full disk is told of" \
        wait_for 30 says 'full|no space|no room' "$TMP/said"
    sleep 2
    rm -f ballast
    wait_for 60 bash -c "! kill -0 $pid 2>/dev/null"
    check_not "with room again it comes to its end" kill -0 $pid
    kill -9 $pid 2>/dev/null
    wait $pid
    status=$?
    check_equal "and every trial is done" "0 done=60" "$status $(states)"
    check_equal "no start is without its attempt" "" \
        "$(comm -23 <(starts_seen "$TMP/starts" | sort) \
            <(starts_stored | sort))"

    rm -rf .throng && : >"$TMP/starts"
    "$THRONG" run s.yaml >/dev/null 2>"$TMP/said" &
    pid=$!
    wait_for 20 enough_starts 5
    fill_disk .
    wait_for 90 bash -c "! kill -0 $pid 2>/dev/null"
    check_not "a disk that stays full does not make it hang" kill -0 $pid
    kill -9 $pid 2>/dev/null
    wait $pid
    check_equal "it ends with an error" 1 $?
    check "which says why" says 'full|no space|no room' "$TMP/said"
    rm -f ballast
    run timeout 200 "$THRONG" run s.yaml
    check_equal "with room again, the next run makes the rest" \
        "0 done=60" "$status $(states)"
    check_equal "and nothing was lost" "" \
        "$(comm -23 <(starts_seen "$TMP/starts" | sort) \
            <(starts_stored | sort))"
    check_equal "the store is sound" ok \
        "$(sqlite3 .throng/s/study.db 'pragma integrity_check')"

    rm -rf .throng
    fill_disk .
    run timeout 200 "$THRONG" run s.yaml
    check_status "a study cannot begin on a full disk" 1
    check_matches "and says why" "$err" '[Ff]ull|[Nn]o space|[Nn]o room'
    cd "$TMP" || exit 1
else
    skip "a full disk" "a small file system cannot be mounted here"
fi

# ---- a disk that fails, and stays so -----------------------------------------

# One that is mended is in failing_disk.sh.
faulty=$THRONG_BUILD/tests/cli/faulty
if "$faulty" linkat=EPERM -- true 2>/dev/null; then
    mkdir "$TMP/failing" && cd "$TMP/failing" || exit 1
    cat >s.yaml <<'END'
method: grid
command: [sh, -c, 'throng report y=1; throng report y=2']
parameters: {a: {min: 1, max: 3}}
metric: {name: y}
parallel: 3
END
    touch broken
    run timeout 300 "$faulty" --while broken \
        'pread64,read=EIO@*/metrics.jsonl' -- "$THRONG" run s.yaml
    check_equal "where nothing can be read that trials said, none is done" \
        "3 failed=3" "$status $(states)"
    check_contains "and it is said why" "$("$THRONG" show s 1)" \
        "lost 3 times in a row: its metrics file could not be read: Input/output error"
    rm -r .throng
    run timeout 300 "$faulty" --while broken \
        'mkdir,mkdirat=EIO@*/trials/*' -- "$THRONG" run s.yaml
    check_equal "where no trial can begin all of them wait" "1 waiting=3" \
        "$status $(states)"
    check_matches "and it is said why" "$err" \
        'nothing can be started: .*Input/output error'
    rm broken
    run timeout 300 "$THRONG" run s.yaml
    check_equal "mended, the next run makes them" "0 done=3" \
        "$status $(states)"
    cd "$TMP" || exit 1
else
    skip "a disk that fails" "system calls cannot be made to fail here"
fi

# ---- read-only folder ------------------------------------------------------

readonly_study() {
    printf 'method: grid\ncommand: [/bin/true]\n'
    printf 'parameters: {a: {values: [1, 2]}}\n'
}
if small_disk "$TMP/frozen" 1m; then
    readonly_study >frozen/s.yaml
    mount -o remount,ro "$TMP/frozen"
    run timeout 200 "$THRONG" run frozen/s.yaml
    check_status "a read-only folder is refused" 1
    check_contains "and named" "$err" "$TMP/frozen"
    check_matches "with the reason" "$err" '[Rr]ead-only'
elif [ "$(id -u)" -ne 0 ]; then
    mkdir frozen && readonly_study >frozen/s.yaml && chmod a-w frozen
    run timeout 200 "$THRONG" run frozen/s.yaml
    check_status "a read-only folder is refused" 1
    check_contains "and named" "$err" "$TMP/frozen"
    check_matches "with the reason" "$err" '[Pp]ermission'
    chmod u+w frozen
else
    skip "a read-only folder" "root may write anywhere, and cannot mount here"
fi

# ---- programs that cannot be started ---------------------------------------

one_program() { # COMMAND, as YAML
    rm -rf .throng
    printf 'method: grid\ncommand: %s\nparameters: {a: {min: 1, max: 9}}\n' \
        "$1" >s.yaml
    run timeout 200 "$THRONG" run s.yaml
}

printf '#!/bin/sh\n' >locked && chmod 000 locked
one_program '[./locked]'
check_status "a program without the right to run fails its trials" 3
check_matches "and is named with the reason" "$err" \
    'locked: it is not an executable'
check_matches "the trial is recorded" "$(states)" 'failed=[1-9]'
run "$THRONG" show failed
check_matches "and shows the reason too" "$out" 'locked: it is not an executable'

printf '#!/no/such/interpreter\n' >orphan && chmod +x orphan
one_program '[./orphan]'
check_status "a missing interpreter fails the trials" 3
check_matches "and is named" "$err" '/no/such/interpreter'

one_program '[no-such-program-anywhere]'
check_status "a missing program fails the trials" 3
check_contains "and is named" "$err" no-such-program-anywhere

echo 'print(1)' >train.py
mkdir -p bin && ln -sf "$(command -v env)" "$(command -v sh)" bin/
rm -rf .throng
printf 'method: grid\nprogram: train.py\nparameters: {a: {min: 1, max: 9}}\n' \
    >s.yaml
run timeout 200 env PATH="$TMP/bin" "$THRONG" run s.yaml
case $status in
1 | 3) ok "a machine without python fails the trials" ;;
*) not_ok "a machine without python fails the trials" "$(last_run)" ;;
esac
check_contains "and says that it is python" "$err" python

printf 'not a program' >text && chmod +x text
one_program '[./text]'
check_status "a text that is no program fails the trials" 3
check_contains "and is named" "$err" text

rm -rf .throng
printf 'method: grid\ncommand: [./locked]\nparameters: {a: {value: 1}}\n' >s.yaml
run timeout 200 "$THRONG" run s.yaml
check_contains "a study of one trial says why it failed, too" "$err" \
    "locked: it is not an executable"

one_program '[/]'
check_status "a folder as program fails the trials" 3

# ---- output without end ----------------------------------------------------

rm -rf .throng
cat >s.yaml <<'END'
method: grid
command: [sh, -c, 'yes 0123456789abcdef | head -c 1500000000; echo the very end']
parameters: {a: {value: 1}}
output_max: 2M
keep: all
END
most=0
"$THRONG" run s.yaml >/dev/null 2>"$TMP/said" &
pid=$!
while kill -0 $pid 2>/dev/null; do
    now=$(du -sk .throng 2>/dev/null | cut -f1)
    [ "${now:-0}" -gt $most ] && most=$now
    sleep 0.02
done
wait $pid
check_equal "a program that floods its output is done" "0 done=1" \
    "$? $(states)"
log=$(find .throng -name log)
bytes=$(stat -c %s "${log:-/dev/null}")
if [ "$bytes" -gt 0 ] && [ "$bytes" -le $((3 << 20)) ]; then
    ok "its log is capped"
else
    not_ok "its log is capped" "$log has $bytes bytes"
fi
# The worker looks at the log some times a second, and meanwhile the program
# goes on: what counts is that the room does not grow with the output.
if [ "$most" -lt $((500 << 10)) ]; then
    ok "and takes little room meanwhile"
else
    not_ok "and takes little room meanwhile" "at most $most KiB"
fi
check "the log says what was left out" says 'throng.*(left out|cut|dropped)' \
    "${log:-/dev/null}"
check_contains "its last line is kept" "$(tail -n 1 "${log:-/dev/null}")" \
    "the very end"

# ---- a clock that jumps ----------------------------------------------------

# Only the conductor's clock can be moved here: throng-worker is static, so
# nothing can be put between it and the system.
library=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null | head -n 1)
if [ -z "$library" ]; then
    skip "a clock that jumps" "libfaketime is not installed"
elif [ -n "${ASAN_OPTIONS:-}" ]; then
    skip "a clock that jumps" "libfaketime and the sanitizers do not mix"
else
    rm -rf .throng && : >"$TMP/starts"
    cat >s.yaml <<END
method: grid
command: [sh, -c, 'echo \$THRONG_TRIAL \$THRONG_ATTEMPT >>$TMP/starts; sleep 0.2']
parameters: {a: {min: 1, max: 20}}
resources: {time: 30}
time_limit: 10m
END
    echo '+0' >clock
    env LD_PRELOAD="$library" FAKETIME_TIMESTAMP_FILE="$TMP/clock" \
        FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1 \
        DONT_FAKE_MONOTONIC=1 "$THRONG" run s.yaml >/dev/null 2>said &
    pid=$!
    wait_for 20 enough_starts 4
    echo '+400d' >clock
    wait_for 20 enough_starts 8
    echo '-400d' >clock
    wait_for 20 enough_starts 12
    kill -9 $pid
    wait $pid 2>/dev/null
    echo '+0' >clock
    run timeout 200 "$THRONG" run s.yaml
    check_equal "a clock that jumps by a year, and a crash: all is done" \
        "0 done=20" "$status $(states)"
    check_equal "no start is without its attempt" "" \
        "$(comm -23 <(starts_seen "$TMP/starts" | sort) \
            <(starts_stored | sort))"
    check_equal "no attempt took longer than it did" 0 "$(
        sqlite3 .throng/s/study.db \
            'select count(*) from attempts where seconds < 0 or seconds > 60')"
fi
