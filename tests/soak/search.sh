#!/usr/bin/env bash
# A million random operations on every search method (ten thousand on those
# with a model of all results) under the address and undefined sanitizers;
# OPERATIONS says another number.
# timeout: 7200
set -euo pipefail

cd "$(dirname "$0")/../.."
program=tests/search/test_search_operations
make --no-print-directory -s build-san/build.ninja >/dev/null
ninja -C build-san "$program" >/dev/null

export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export CMOCKA_MESSAGE_OUTPUT=STDOUT
methods=$(build/bench/search_bench methods | tr '\n' ' ')
count=0
failed=0
for method in $methods grid; do
    count=$((count + 1))
    if "build-san/$program" "${OPERATIONS:-1000000}" "$method" \
        >"/tmp/search-soak.$$" 2>&1; then
        echo "ok $count - $method"
    else
        failed=1
        sed 's/^/# /' "/tmp/search-soak.$$" | tail -40
        echo "not ok $count - $method"
    fi
    rm -f "/tmp/search-soak.$$"
done
echo "1..$count"
exit $failed
