# lib.sh - helpers for the end-to-end tests in this folder
#
# A test script is bash, starts with
#
#     . "$(dirname "$0")/lib.sh"
#
# and then makes as many checks as it likes. Each check prints one TAP line
# (`ok 1 - name`, `not ok 2 - name`, `ok 3 - name # SKIP reason`), a failed one
# prints why below it, and the script goes on. It runs in an empty folder of
# its own, $TMP, which is removed at the end (THRONG_KEEP=1 keeps it).
#
#     $THRONG, $WORKER   the two programs (from $THRONG_BUILD, default build/)
#     $ROOT              the project's folder
#     $THRONG_TEST_DATA  a folder with real data, or nothing: what needs it
#                        asks real_data and skips
#
# tests/run reads two comment lines near the top of a script:
#
#     # timeout: 400     seconds before it is killed (default 300)
#     # alone            nothing else runs meanwhile

set -u

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
THRONG_BUILD=$(cd "$ROOT" && cd "${THRONG_BUILD:-build}" && pwd) || exit 1
THRONG=$THRONG_BUILD/throng
WORKER=$THRONG_BUILD/throng-worker
TMP=$(mktemp -d "${TMPDIR:-/tmp}/throng-test.XXXXXX") || exit 1
export THRONG WORKER TMP ROOT LC_ALL=C.UTF-8
# What a terminal shows shall be what throng wrote.
export THRONG_PAGER=
# Whose characters depend on its name: the console of Linux has fewer.
export TERM=xterm-256color
# Without colours, which have a test of their own.
export NO_COLOR=1
# Nor shall data that was prepared in an earlier run be found.
export XDG_CACHE_HOME=$TMP/.cache
# Nor do studies of other tests, which run meanwhile, take their part.
export THRONG_RUNTIME_DIR=$TMP/.run
PATH=$THRONG_BUILD:$PATH
cd "$TMP" || exit 1

tests_made=0
tests_failed=0
status=0
to_end=() # processes that are killed at the end, however it comes

# Print the end of a test script's TAP output. A script that was cut short
# (an unset variable, `exit 1` half-way) has failed, whatever it had checked.
finish() {
    local code=$? pid
    for pid in "${to_end[@]}"; do
        kill -9 "$pid" 2>/dev/null
    done
    if [ "$code" -ne 0 ]; then
        not_ok "the script runs to its end" "it ended with status $code"
    fi
    echo "1..$tests_made"
    cd /
    if [ -n "${THRONG_KEEP:-}" ]; then
        echo "# kept $TMP"
    else
        chmod -R u+rwX "$TMP" 2>/dev/null
        rm -rf "$TMP"
    fi
    [ "$tests_failed" -eq 0 ] || exit 1
    exit 0
}
trap finish EXIT

ok() { # NAME
    tests_made=$((tests_made + 1))
    echo "ok $tests_made - $1"
}

not_ok() { # NAME [WHY...]
    tests_made=$((tests_made + 1))
    tests_failed=$((tests_failed + 1))
    echo "not ok $tests_made - $1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/#   /'
}

skip() { # NAME REASON
    tests_made=$((tests_made + 1))
    echo "ok $tests_made - $1 # SKIP $2"
}

# Leave the script: none of what it tests can be tested here.
skip_all() { # REASON
    skip "all of $(basename "$0")" "$1"
    exit 0
}

# True when there is this file or folder of real data.
real_data() { # NAME
    [ -n "${THRONG_TEST_DATA:-}" ] && [ -e "$THRONG_TEST_DATA/$1" ]
}
no_real_data="THRONG_TEST_DATA names no folder that has it"

# Run a command and remember: its exit status in $status, what it wrote in
# $out and $err (and in the files $TMP/.out and $TMP/.err, to the byte).
run() { # COMMAND...
    "$@" >"$TMP/.out" 2>"$TMP/.err" </dev/null
    status=$?
    out=$(tr -d '\0' <"$TMP/.out")
    err=$(tr -d '\0' <"$TMP/.err")
    return 0
}

# What the last `run` saw, for the reader of a failed check.
last_run() {
    printf 'exit status %s\n' "$status"
    tail -n 40 "$TMP/.out" 2>/dev/null | sed 's/^/out: /'
    tail -n 40 "$TMP/.err" 2>/dev/null | sed 's/^/err: /'
}

# The command succeeds.
check() { # NAME COMMAND...
    local name=$1 said
    shift
    if said=$("$@" 2>&1); then
        ok "$name"
    else
        not_ok "$name" "failed: $*" "$said"
    fi
}

# The command fails.
check_not() { # NAME COMMAND...
    local name=$1 said
    shift
    if said=$("$@" 2>&1); then
        not_ok "$name" "succeeded, but should not: $*" "$said"
    else
        ok "$name"
    fi
}

# The last `run` ended with this exit status.
check_status() { # NAME EXPECTED
    if [ "$status" -eq "$2" ]; then
        ok "$1"
    else
        not_ok "$1" "expected exit status $2" "$(last_run)"
    fi
}

# Two texts are equal.
check_equal() { # NAME EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1" "$(diff -u --label expected --label actual \
            <(printf '%s\n' "$2") <(printf '%s\n' "$3"))"
    fi
}

# A text holds another one.
check_contains() { # NAME TEXT PART
    case $2 in
    *"$3"*) ok "$1" ;;
    *) not_ok "$1" "expected to find: $3" "in: $2" ;;
    esac
}

check_lacks() { # NAME TEXT PART
    case $2 in
    *"$3"*) not_ok "$1" "expected not to find: $3" "in: $2" ;;
    *) ok "$1" ;;
    esac
}

# A text matches an extended regular expression, line by line.
check_matches() { # NAME TEXT REGEX
    if printf '%s\n' "$2" | grep -Eq -- "$3"; then
        ok "$1"
    else
        not_ok "$1" "expected a line matching: $3" "in: $2"
    fi
}

# Programs in bin/, with a device cuda whose kernels run on this machine's cpu.
gpu_is_here() {
    gpu_worker_is_here
    cp -p "$here" bin/throng-worker-cuda
}

# The same, where it is still to come; $here is that worker.
gpu_worker_is_here() {
    here=$THRONG_BUILD/src/worker/throng-worker-cuda-here
    [[ -x $here ]] || skip_all 'this build has no throng-worker-cuda-here'
    mkdir bin
    cp "$THRONG" "$WORKER" bin/
    THRONG=$PWD/bin/throng
}

# Of each trial of a study: parameters, state, and what was reported last.
results() { # STUDY
    "$THRONG" export "$1" --jsonl |
        sed 's/.*"state":"\([a-z]*\)".*"value":\([^,]*\),.*"params":\({[^}]*}\).*/\3 \1 \2/' |
        sort
}

# How many attempts of a study ended so.
attempts() { # STUDY OUTCOME
    "$THRONG" show "$1" all --json | grep -o "\"outcome\":\"$2\"" | wc -l
}

# The processes that one has started and not yet waited for.
kids() { # PID
    cat "/proc/$1/task/$1/children" 2>/dev/null
}

# Kill a conductor and its workers as if at once. It is stopped first, or it
# might see a worker die before its own turn comes, and act on that.
kill_both() { # PID
    kill -STOP "$1"
    # shellcheck disable=SC2046 # numbers
    kill -9 $(kids "$1") "$1"
}

# Wait until a command succeeds; for things that happen in another process.
# Returns 1 when they have not happened after SECONDS of a machine of our own:
# one that others keep busy gets several times as many.
wait_for() { # SECONDS COMMAND...
    local end=$(($(date +%s) + 4 * $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt "$end" ] || return 1
        sleep 0.05
    done
}
