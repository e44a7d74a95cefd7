#!/usr/bin/env bash
# Data on standard output, talk on standard error; what happens when one of
# them is closed, full or gone, and what a terminal sees.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'END'
name: s
command: [sh, -c, 'echo out; echo err >&2; throng report loss={a}']
method: grid
metric: {name: loss}
parameters:
  a: {values: [1, 2, 3, 4]}
  a_parameter_with_a_long_name: {values: [0.1234567890123]}
  another_parameter_with_a_long_name: {value: a rather long text in here}
END
run "$THRONG" run study.yaml
check_equal "run talks on standard error, and ends with the ranking" \
    "0 $("$THRONG" rank)" "$status $out"

# ---- closed and full -------------------------------------------------------
mkdir closed full
for mode in closed full; do
    cp study.yaml $mode
    cd $mode || exit 1
    if [ $mode = closed ]; then
        "$THRONG" run study.yaml >&- 2>&- <&-
    else
        "$THRONG" run study.yaml >/dev/full 2>/dev/full
    fi
    check_equal "a study runs with its streams $mode" 0 $?
    run "$THRONG" export --jsonl
    check_equal "to its end" 4 "$(grep -c '"state":"done"' <<<"$out")"
    check_equal "and no talk went into its files" "" \
        "$(grep -rla 'throng: ' .throng)"
    cd ..
done
for verb in status rank show "logs 1-4" "export --csv" "export --jsonl" \
    help version doctor "check study.yaml" "status --json" "rank --json" \
    "show --json" "report loss=1"; do
    # shellcheck disable=SC2086
    "$THRONG" $verb >/dev/full 2>err
    check_equal "$verb says when its output could not be written" \
        "1 throng: standard output: No space left on device" "$? $(cat err)"
    # shellcheck disable=SC2086
    "$THRONG" $verb >&- 2>err
    check_equal "or was closed" \
        "1 throng: standard output: Bad file descriptor" "$? $(cat err)"
    # shellcheck disable=SC2086
    "$THRONG" $verb >out 2>&- <&-
    check_equal "$verb works with standard error closed" 0 $?
done
run "$THRONG" show 99
check_equal "mistakes are no data" "4 " "$status $out"
run "$THRONG" check study.yaml
check_equal "what check finds is" "0 " "$status $err"

# ---- a broken pipe ---------------------------------------------------------
(
    "$THRONG" export --jsonl 2>err
    echo $? >code
) | true
check_equal "a reader that went away is no error" "0 " "$(cat code) $(cat err)"

# ---- a terminal ------------------------------------------------------------
# `script` gives a terminal; its size is set inside.
on_terminal() { # COLUMNS COMMAND
    script -qec "stty cols $1 rows 24; $2" /dev/null </dev/null 2>&1 |
        tr -d '\r'
}
# What the screen shows line by line when the terminal obeys \r and erase.
screen() { sed -E 's/\x1b\[[0-9;]*[A-Za-z]/\n/g'; }

if ! command -v script >/dev/null; then
    skip "on a terminal" "there is no script program here"
    exit 0
fi
on_terminal 80 "$THRONG rank" >term
check_equal "on a terminal rank lines its columns up" 1 \
    "$(cut -c1-12 term | sed -E 's/[0-9]+$//' | awk '{print length($0)}' |
        sed '$d' | sort -u | wc -l)"
check_equal "within 80 columns" "" "$(grep -E '.{81}' term)"
check_matches "cutting what is too wide, not what is last" "$(cat term)" \
    ' done +[0-9.]+$'
check_lacks "without tabs" "$(cat term)" "$(printf '\t')"
on_terminal 40 "$THRONG rank" >term
check_equal "or 40" "" "$(grep -E '.{41}' term)"
on_terminal 200 "$THRONG rank" >term
check_contains "a wide one shows all" "$(cat term)" "a rather long text in here"
check_contains "with the state" "$(cat term)" "done"
on_terminal 80 "$THRONG show 1" >term
check_matches "show rounds floats there" "$(cat term)" '^  a_parameter_with_a_long_name +0.123457$'
run "$THRONG" show 1
check_matches "and nowhere else" "$out" '^  a_parameter_with_a_long_name +0.1234567890123$'

cat >slow.yaml <<'END'
name: slow
command: [sh, -c, 'sleep 0.4; throng report loss={a}; [ {a} != 5 ]']
method: grid
parallel: 2
metric: {name: loss}
parameters: {a: {values: [3, 2, 5, 4, 6, 7, 8, 9]}}
END
on_terminal 80 "$THRONG run slow.yaml" | screen >term
check_matches "run shows how far it is" "$(cat term)" \
    '^[1-7]/8 done  [0-9.]+/s  [0-9ms ]+ left  [12] running.*  best [23] \(trial [12]\)$'
check_matches "and what failed" "$(cat term)" '^[3-7]/8 done  .*  1 failed  best 2'
check_matches "at the end how long it took" "$(cat term)" \
    '^throng: 8/8 done in [0-9.]+s  [0-9.]+/s  1 failed  best 2 \(trial 2\)$'
check_matches "and the ranking" "$(cat term)" '^ +1 +2 +2 +2 +done'
check_equal "no line is wider than the terminal" "" "$(grep -E '.{81}' term)"
rm -r .throng/slow
on_terminal 30 "$THRONG run slow.yaml" | screen >term
check_matches "a narrow one gets a shorter line" "$(cat term)" '^[1-7]/8 '
check_equal "that fits" "" "$(grep -v '^throng: ' term | grep -E '.{31}')"
rm -r .throng/slow
run "$THRONG" run slow.yaml
check_matches "off a terminal there are plain lines" "$err" \
    '^throng: [1-7]/8 done .* running'
check_lacks "without control characters" "$err" "$(printf '\033')"
check_lacks "or carriage returns" "$err" "$(printf '\r')"
cat >nometric.yaml <<'END'
command: ['true']
method: grid
parameters: {a: {values: [1, 2]}}
END
script -qec "$THRONG run nometric.yaml" /dev/null </dev/null >term 2>&1
check_equal "a study without a metric ends well there too" 0 $?
run "$THRONG" rank nometric
check_status "and has no ranking" 1
check_contains "unless by something" "$err" "--by NAME"
run "$THRONG" rank nometric --by seconds
check_status "that every trial has" 0
