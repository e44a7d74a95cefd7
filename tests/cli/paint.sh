#!/usr/bin/env bash
# Colours on a terminal, and lines that break between words.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'E2'
name: seen
command: [sh, -c, 'echo "::throng loss={x}"; exit {x}']
method: grid
grid: {order: written}
metric: {name: loss}
parameters:
  x: {values: [0, 3]}
  text: {value: one two three four five six seven eight nine ten eleven twelve thirteen}
E2
on_terminal() { # WORDS: throng with them on a terminal of 60 columns
    COLUMNS=60 TERM=xterm script -qec "$THRONG $*" /dev/null </dev/null | tr -d '\r'
}
run env -u NO_COLOR TERM=xterm COLUMNS=60 script -qec "$THRONG run study.yaml" /dev/null
red=$(printf '\033[31m') green=$(printf '\033[32m') escape=$(printf '\033')
unset NO_COLOR
check_contains "the ranking after a run has colours" "$out" "${green}done"
check_contains "rank colours states" "$(on_terminal rank)" "${green}done"
check_contains "ls and status colour failures" "$(on_terminal status)" "${red}failed"
check_contains "show too" "$(on_terminal show 2)" "${red}failed"
check_contains "and errors its titles" "$(on_terminal errors)" "$(printf '\033[1m')"
for verb in rank status "show 2" errors ls "explain 2"; do
    check_lacks "$verb has none where NO_COLOR is set" \
        "$(NO_COLOR=1 on_terminal "$verb" | tr -d '\017')" "$escape[3"
    # shellcheck disable=SC2086 # words
    check_lacks "nor in a pipe" "$("$THRONG" $verb 2>&1)" "$escape"
done
wide() { awk 'length($0) > 60' | grep -v '|'; }
check_equal "explain breaks between words" "" \
    "$(NO_COLOR=1 on_terminal explain 2 | wide)"
check_contains "in a pipe lines are whole" "$("$THRONG" explain 2)" \
    "a line that runs it by hand"
