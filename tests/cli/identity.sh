#!/usr/bin/env bash
# What makes a study the same one: going on, extending, changing, renaming,
# and being in use.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
done_of() { "$THRONG" status "$@" --json | python3 -S "$ROOT/tests/cli/json_look.py" \
    'd["states"]["done"]'; }

study() { # RUN_CAP EXTRA...
    printf '%s\n' 'name: s' "command: [sh, -c, 'echo loss={x}; throng report loss={x}']" \
        'method: random' 'seed: 4' 'metric: {name: loss}' "run_cap: $1" \
        'parameters: {x: {min: 0.0, max: 1.0}}'
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@"
}

# ---- going on --------------------------------------------------------------
study 6 >s.yaml
run "$THRONG" run s.yaml --count 2
check_status "--count makes so many trials" 0
check_equal "and no more" 2 "$(done_of)"
check_contains "and says how to go on" "$err" "--count is reached; \`throng run s.yaml\` goes on"
run "$THRONG" run s.yaml --count 1 --new s9
check_contains "under its other name" "$err" "\`throng run s.yaml --new s9\` goes on"
rm -r .throng/s9
run "$THRONG" run s.yaml --count 1
check_equal "--count counts the trials of this run" 3 "$(done_of)"
run "$THRONG" run s.yaml
check_equal "the rest comes without it" 6 "$(done_of)"
"$THRONG" export --jsonl >first
run "$THRONG" run s.yaml
check_status "a finished study has nothing to do" 0
check_contains "and says so" "$err" "nothing was left to do"
check_equal "and is as it was" "$(cat first)" "$("$THRONG" export --jsonl)"
run "$THRONG" run s.yaml --quiet
check_equal "--quiet says nothing" "" "$out$err"
run "$THRONG" run s.yaml --count x
check_status "--count takes a number" 2

# ---- extension -------------------------------------------------------------
study 9 >s.yaml
run "$THRONG" run s.yaml
check_status "a larger run_cap extends it" 0
check_equal "by the difference" 9 "$(done_of)"
check_equal "what was there stays" "$(cat first)" "$("$THRONG" export --jsonl 1-6)"
study 4 >s.yaml
run "$THRONG" run s.yaml
check_status "a smaller run_cap takes nothing away" 0
check_equal "at all" 9 "$(done_of)"
check_contains "all of them are counted" "$err" "9/9 done"
run "$THRONG" status
check_matches "later too" "$out" '^trials +9 of 9 finished$'

# ---- what may change -------------------------------------------------------
study 10 'parallel: 1' 'retries: 2' 'time_limit: 1h' 'max_failures: 3' \
    'resources: {cpus: 1, memory: 100M, time: 1m}' 'grace: 5' \
    'description: another' 'keep: all' >s.yaml
run "$THRONG" run s.yaml
check_status "limits, parallelism and resources may change" 0
check_equal "and the study goes on" 10 "$(done_of)"

# ---- what may not ----------------------------------------------------------
refused() { # WHAT SED [WORD]
    study 10 | sed "$2" >s.yaml
    run "$THRONG" run s.yaml
    check_status "a changed $1 is refused" 1
    check_contains "with the difference ($1)" "$err" "${3:-$1}"
    check_contains "and a way out ($1)" "$err" "--new NAME"
}
refused parameter 's/max: 1.0/max: 2.0/'
refused command 's/echo/printf/'
refused method 's/method: random/method: grid/;s/{min.*}}/{values: [1]}}/'
refused seed 's/seed: 4/seed: 5/'
check_equal "nothing of it was run" 10 "$(done_of)"

# ---- another name ----------------------------------------------------------
study 2 | sed 's/max: 1.0/max: 2.0/' >s.yaml
run "$THRONG" run s.yaml --new other
check_status "--new keeps both" 0
check_equal "under its own name" 2 "$(done_of other)"
check_equal "beside the first" 10 "$(done_of s)"
run "$THRONG" status --json
check_equal "the one used last is meant when none is named" other \
    "$(json 'd["study"]')"
mkdir read && (
    cd read && study 1 >s.yaml
    for name in first second; do "$THRONG" run s.yaml --new $name --quiet; done
    for name in second first; do "$THRONG" status $name >/dev/null; done
    "$THRONG" status --json
) >.out
check_equal "to be looked at is no use" second "$(json 'd["study"]')"
elsewhere() { ls -d ../x /abs 2>/dev/null; } # others may have such
before=$(elsewhere)
for name in ../x /abs . .. .hidden '' a/b ' x' -x "$(printf 'a\nb')" \
    "$(printf '%0101d' 0)"; do
    run "$THRONG" run s.yaml "--new=$name"
    check_status "--new refuses the name '$(head -c 12 <<<"$name" | tr -d '\n')'" 2
    check_contains "and says what a name is" "$err" "name"
done
check_equal "nothing was made elsewhere" "other s$before" \
    "$(ls .throng | paste -sd' ')$(elsewhere)"

# ---- in use ----------------------------------------------------------------
cat >long.yaml <<'END'
command: [sh, -c, 'touch started; while [ ! -e go ]; do sleep 0.05; done']
method: grid
parameters: {a: {values: [1]}}
END
"$THRONG" run long.yaml 2>long.err &
holder=$!
wait_for 30 test -e started
run "$THRONG" run long.yaml
check_status "a study that runs is in use" 5
check_contains "by that process" "$err" "$holder"
check_contains "which one can look at, or take it from" "$err" \
    ": \`throng watch\` shows it, \`throng stop\` ends it; use --take-over if that process is gone"
run "$THRONG" rm -y long
check_status "it is not removed" 5
check_contains "but how to end it is said" "$err" "\`throng stop long\` ends it"
check_lacks "and nothing that does not help" "$err" "take-over"
run "$THRONG" status long --json
check_equal "status says that it runs" True "$(json 'd["running"]')"
run "$THRONG" status long
check_matches "and who runs it" "$out" "^now +running as process $holder on "
touch go
wait $holder
check_equal "the first one was not disturbed" 0 $?

# A conductor that does not answer (stopped, as if its machine hung) is
# replaced with --take-over; when it comes back it is refused.
rm -f go started
sed -i 's/\[1\]/[1, 2]/; s/^method/parallel: 1\nmethod/' long.yaml
"$THRONG" run long.yaml --new taken 2>taken.err &
holder=$!
wait_for 30 test -e started
kill -STOP $holder
rm -f started
"$THRONG" run long.yaml --new taken --take-over 2>over.err &
second=$!
check "with --take-over another takes it" wait_for 30 test -e started
touch go
wait $second
check_equal "and finishes it" 0 $?
kill -CONT $holder
wait $holder
check_equal "the one that comes back is refused" 5 $?
run "$THRONG" export taken --jsonl
check_equal "each trial has ended once" "done done" \
    "$(json '" ".join(t["state"] for t in d)')"

# ---- after a crash ---------------------------------------------------------
rm -f go started
"$THRONG" run long.yaml --new crash 2>crash.err &
holder=$!
wait_for 30 test -e started
kill -KILL $holder
wait $holder 2>/dev/null
run "$THRONG" status crash
check_matches "status says that its conductor died" "$out" 'ended without a word'
touch go
run "$THRONG" run long.yaml --new crash
check_status "the next run goes on" 0
check_equal "and finishes" 2 "$(done_of crash)"

# ---- a study that an earlier version made ----------------------------------
cat >older.yaml <<'END'
command: echo {a} {b}
method: grid
parameters: {a: {values: [1, 2, 3]}, b: {values: [1, 2, 3]}}
END
points() { "$THRONG" run older.yaml --dry-run 2>/dev/null | sed 1d | cut -f3 | tr -d 'a-z' | tr '\n' ';'; }
check_lacks "a new grid begins all over the space" "$(points)" " 1 1; 1 2; 1 3;"
"$THRONG" run older.yaml --count 1 2>/dev/null >/dev/null
# What it did not write down then is not there.
sqlite3 .throng/older/study.db "DELETE FROM facts WHERE key = 'search_version'" VACUUM
check_equal "one that began in the written order goes on in it" \
    " 1 2; 1 3; 2 1; 2 2; 2 3; 3 1; 3 2; 3 3;" "$(points)"
"$THRONG" run older.yaml --count 3 2>/dev/null >/dev/null
check_equal "which its trials have" "1 2;1 3;2 1;" \
    "$("$THRONG" export older --jsonl | python3 -c 'import json, sys
for line in list(sys.stdin)[1:]: t = json.loads(line); print(t["params"]["a"], t["params"]["b"], end=";")')"
