#!/usr/bin/env bash
# tools/lengths finds long functions and includes that go in a circle.
. "$(dirname "$0")/../cli/lib.sh"

function_of() { # LINES NAME
    printf 'int %s(void)\n{\n' "$2"
    yes '    x();' | head -n $(($1 - 3))
    printf '}\n'
}
mkdir -p src/a src/b
function_of 10 short >src/a/a.c
function_of 12 other >src/b/b.c
printf '#include "b/b.h"\n' >src/a/a.h
printf '#include "a/c.h"\n' >src/b/b.h
run "$ROOT/tools/lengths" src
check_status "short functions pass" 0
check_contains "the longest is named" "$out" "12  src/b/b.c other"
touch src/a/c.h
run "$ROOT/tools/lengths" src
check_status "folders that include each other do not" 1
check_contains "which are named" "$out" "a circle: a -> b -> a"
printf '#include "c.h"\n' >src/a/a.h
printf '#include "a.h"\n' >src/a/c.h
run "$ROOT/tools/lengths" src
check_contains "nor do files of one folder" "$out" "a circle: a/a.h -> a/c.h -> a/a.h"
rm src/*/*.h
function_of 25 long >src/b/b.c
run "$ROOT/tools/lengths" src
check_status "long functions do not" 1
check_contains "and what is allowed is said" "$out" "below 25 lines"
