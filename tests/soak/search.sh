#!/usr/bin/env bash
# A million random operations on every search method (ten thousand on those
# with a model of all results), and going on after every prefix of a run's
# calls, under the address and undefined sanitizers; OPERATIONS says another
# number. Jobs for each method, as many at once as there are cores: one core is
# busy for an hour, two for half of that.
# timeout: 7200
set -euo pipefail

cd "$(dirname "$0")/../.."
operations=tests/search/test_search_operations
prefixes=tests/search/test_search_rungs
make --no-print-directory -s build-san/build.ninja >/dev/null
ninja -C build-san "$operations" "$prefixes" >/dev/null

export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export CMOCKA_MESSAGE_OUTPUT=STDOUT
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# What a job says is shown when it failed; its line comes last.
job() { # LOG NAME COMMAND...
    local log=$1 name=$2
    shift 2
    if "$@" >"$log" 2>&1; then
        echo "ok - $name" >"$log"
    else
        sed -i 's/^/# /' "$log"
        echo "not ok - $name" >>"$log"
    fi
    tail -40 "$log"
}

waiting=0
begin() { # NAME COMMAND...
    count=$((count + 1))
    [ "$waiting" -lt "$(nproc)" ] || { wait -n; waiting=$((waiting - 1)); }
    job "$logs/$1" "$@" &
    waiting=$((waiting + 1))
}

count=0
for name in $("build-san/$operations" names); do
    begin "$name" "build-san/$operations" "${OPERATIONS:-1000000}" "$name"
done
for method in $("build-san/$prefixes" methods); do
    begin "$method-prefixes" "build-san/$prefixes" 1 "$method"
done
wait
echo "1..$count"
! grep -qs '^not ok' "$logs"/*
