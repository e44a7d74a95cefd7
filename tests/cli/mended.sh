#!/usr/bin/env bash
# A study file that is mended after it ran: what is taken in, what is refused.
. "$(dirname "$0")/lib.sh"

study() { # command metric-keys method
    printf '%s\n' 'name: m' "command: $1" "metric: {$2}" "method: ${3:-grid}" \
        "${@:4}" 'parameters: {x: {values: [1, 2, 3, 4]}}' >m.yaml
}
states() { "$THRONG" status m --json | sed 's/.*"done":\([0-9]*\),"failed":\([0-9]*\).*/\1 \2/'; }

study '[sh, -c, "exit 1"]' 'name: loss'
run "$THRONG" run m.yaml --keep-going
check_equal "all trials failed" "0 4" "$(states)"
study '[sh, -c, "throng report loss={x} acc=1{x}"]' 'name: los'
run "$THRONG" check m.yaml
check_contains "check says that a mended command is accepted" "$err" "which \`throng run\` accepts"
run "$THRONG" run m.yaml --keep-going
check_contains "what failed is tried again" "$err" "4 that failed are tried again"
check_equal "and ends well" "4 0" "$(states)"
study '[sh, -c, "throng report loss={x} acc=1{x}"]' 'name: loss'
run "$THRONG" run m.yaml
check_status "a corrected metric is accepted" 0
check_contains "and said" "$err" "the metric is another one: stored trials are ranked by it"
check_contains "its values were stored" "$err" "best 1 "
study '[sh, -c, "throng report loss={x} acc=1{x}"]' 'name: acc, goal: maximize'
run "$THRONG" run m.yaml
check_contains "another metric only ranks anew where nothing learns from it" "$err" "best 14 "
study '[sh, -c, "true {x}"]' 'name: acc, goal: maximize'
run "$THRONG" check m.yaml
check_contains "check says what run will refuse" "$err" "so \`throng run\` refuses this file"
run "$THRONG" run m.yaml
check_status "a command that has succeeded is another question when it changes" 1
check_contains "with the ways out" "$err" "remove the stored one with \`throng rm m\`"

"$THRONG" rm m >/dev/null 2>&1 || rm -r .throng
study '[sh, -c, "throng report loss={x} acc=1{x}"]' 'name: loss' tpe 'run_cap: 3'
run "$THRONG" run m.yaml
study '[sh, -c, "throng report loss={x} acc=1{x}"]' 'name: acc' tpe 'run_cap: 3'
run "$THRONG" run m.yaml
check_status "what a method has learned from stays" 1
