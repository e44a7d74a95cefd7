#!/usr/bin/env bash
# A study file that is mended after it ran: what is taken in, what is refused.
. "$(dirname "$0")/lib.sh"

json_of() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
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
check_status "check fails where run will refuse" 1
check_contains "says so" "$err" "throng check: \`throng run\` refuses this: m.yaml no longer asks"
check_contains "and shows the study all the same" "$out" "trials   4"
run "$THRONG" check m.yaml --json
check_status "for programs, too" 1
check_equal "as an error" "error" "$(json_of 'd["problems"][-1]["level"]')"
run "$THRONG" check m.yaml --new other
check_status "under another name nothing is in the way" 0
run "$THRONG" run m.yaml
check_status "a command that has succeeded is another question when it changes" 1
check_contains "with the ways out" "$err" "remove the stored one with \`throng rm m\`"

"$THRONG" rm m >/dev/null 2>&1 || rm -r .throng
study '[sh, -c, "throng report loss={x} acc=1{x}"]' 'name: loss' tpe 'run_cap: 3'
run "$THRONG" run m.yaml
study '[sh, -c, "throng report loss={x} acc=1{x}"]' 'name: acc' tpe 'run_cap: 3'
run "$THRONG" run m.yaml
check_status "what a method has learned from stays" 1

# What trials printed is read again with a pattern that is mended.
"$THRONG" rm -y m >/dev/null 2>&1
prints='[sh, -c, "echo epoch 1 loss 9{x}; echo epoch 2 loss {x}"]'
study "$prints" 'name: loss, pattern: "los ([0-9.]+)"'
run "$THRONG" run m.yaml --keep-going
check_contains "a pattern that finds nothing" "$err" "4 without a value"
study "$prints" 'name: loss, pattern: "epoch ([0-9]+)"'
run "$THRONG" run m.yaml
check_contains "what was printed is read again with another pattern" "$err" \
    "what stored trials printed was read again, and 4 of them have a value"
check_contains "which finds the wrong number" "$err" "best 2 "
study "$prints" 'name: loss, pattern: "epoch ([0-9]+) loss ([0-9.]+)"'
run "$THRONG" run m.yaml
check_contains "a mended one finds the right one" "$err" "best 1 (trial"
run "$THRONG" export --history m best:1
check_equal "and the points of the earlier pattern are gone" "1,loss,91.0 2,loss,1.0" \
    "$(tail -n +2 <<<"$out" | cut -d, -f2,4,5 | xargs)"
run "$THRONG" show m best:1
check_contains "show follows" "$out" "loss                    1            1           91        2"
study "$prints" 'name: other, pattern: "epoch ([0-9]+) loss ([0-9.]+)"'
run "$THRONG" run m.yaml
check_contains "another name is found in what was printed, too" "$err" "4 of them have a value"
check_contains "and ranks" "$err" "best 1 (trial"
study "$prints" 'name: other, goal: maximize, pattern: "epoch ([0-9]+) loss ([0-9.]+)"'
run "$THRONG" run m.yaml
check_contains "another goal only ranks" "$err" "the metric is another one: stored trials are ranked by it"

# An attempt that begins anew counts its lines anew.
"$THRONG" rm -y m >/dev/null 2>&1
twice='[sh, -c, "test -e again{x} && { echo loss {x}; exit 0; }; echo loss 7; echo loss 8; touch again{x}; exit 1"]'
study "$twice" 'name: loss' grid 'retries: 1'
run "$THRONG" run m.yaml --keep-going
study "$twice" 'name: loss, pattern: "loss ([0-9]+)"' grid 'retries: 1'
run "$THRONG" run m.yaml
check_contains "the newest attempt's first line stands for its step" "$err" "4 of them have a value"
run "$THRONG" export --history m 1
check_equal "and nothing of the one before it counts" "0,1,loss,1.0" \
    "$(tail -n +2 <<<"$out" | sed 's/^1,\([0-9]*\),[^,]*,/\1,1,/' | xargs)"

# A study that has learned nothing, because nothing had a value.
"$THRONG" rm -y m >/dev/null 2>&1
study "$prints" 'name: loss' tpe 'run_cap: 3'
run "$THRONG" run m.yaml --keep-going
study "$prints" 'name: loss, pattern: "loss ([0-9.]+)"' tpe 'run_cap: 5'
run "$THRONG" run m.yaml
check_contains "a learning method takes it in where nothing had a value" "$err" "3 of them have a value"
check_status "and goes on" 0

# A parameter that was misspelt: the study begins anew, and nothing is lost.
"$THRONG" rm -y m >/dev/null 2>&1
study '[sh, -c, "exit 1"]' 'name: loss'
run "$THRONG" run m.yaml --keep-going
"$THRONG" logs m 1 >/dev/null
sed -i 's/{x: /{y: /; s/exit 1/throng report loss={y}/' m.yaml
run "$THRONG" check m.yaml
check_status "a parameter that is renamed after all failed is no mistake" 0
check_contains "check says what comes" "$err" "accepts, beginning anew, since no trial had ended well"
check_contains "and what differs" "$err" "parameter x: was"
run "$THRONG" run m.yaml
check_status "run accepts it" 0
check_contains "and says where the stored one went" "$err" "that is now m-failed, and m begins anew"
check_equal "all points are those of the mended file" "1 2 3 4" \
    "$("$THRONG" export m --jsonl | sed 's/.*"y":\([0-9]\).*/\1/' | sort | xargs)"
run "$THRONG" status m-failed --json
check_contains "what failed can still be read" "$out" '"failed":4'
run "$THRONG" explain m-failed 1
check_status "trial by trial" 0
sed -i 's/{y: {values/{z: {values/; s/loss={y}/loss={z}/' m.yaml
run "$THRONG" run m.yaml
check_status "where one has ended well it is another question" 1

# The next one that fails finds its name taken.
"$THRONG" rm -y m >/dev/null 2>&1
study '[sh, -c, "exit 1"]' 'name: loss'
run "$THRONG" run m.yaml --keep-going
sed -i 's/{x: /{y: /' m.yaml
run "$THRONG" run m.yaml --keep-going
check_contains "a second one has a name of its own" "$err" "that is now m-failed-2, and m begins anew"
sed -i 's/{y: /{z: /' m.yaml
mkfifo go
printf '%s\n' 'name: m' 'command: [sh, -c, "cat go"]' 'parameters: {x: {values: [1]}}' >held.yaml
"$THRONG" rm -y m >/dev/null 2>&1
"$THRONG" run held.yaml 2>/dev/null &
holder=$!
wait_for 30 test -e .throng/m/study.db
run "$THRONG" run m.yaml
check_not "one that runs is not moved" test -e .throng/m-failed-3
echo >go
wait $holder

# Several that begin at once: one of them sets it aside, none of them what
# another has begun since.
"$THRONG" rm -y m >/dev/null 2>&1
rm -rf .throng/m-failed*
study '[sh, -c, "exit 1"]' 'name: loss'
run "$THRONG" run m.yaml --keep-going
sed -i 's/{x: /{y: /; s/exit 1/throng report loss={y}/' m.yaml
runs=()
for i in 1 2 3 4 5 6; do
    "$THRONG" run m.yaml >"at_once.$i" 2>&1 &
    runs+=($!)
done
wait "${runs[@]}"
run "$THRONG" run m.yaml
check_status "of several that begin at once one sets the study aside" 0
check_equal "the others find it done, or are told who runs it" "" \
    "$(grep -hE 'rename|no such|cannot' at_once.*)"
check_equal "once" m-failed "$(cd .throng && ls -d m-failed*)"
check_equal "and no trial of the new one is lost" "4 0" "$(states)"

# Its name goes to the shell as it is, and of much that has changed whole lines
# are said.
sed -i "s/^name: m/name: it's \"mine\"/" m.yaml
long=$(printf 'word-%.0s' {1..40})
for i in 1 2 3 4 5 6 7 8 9; do echo "  k$i: {values: [$long$i]}"; done >keys
sed -i '/^parameters/d' m.yaml
{ echo "parameters:"; echo "  y: {values: [1]}"; cat keys; } >>m.yaml
run "$THRONG" run m.yaml
sed -i 's/^\(  k.*\)\]/\1-other]/' m.yaml
run "$THRONG" run m.yaml
check_status "other values are another question" 1
check_contains "what differs of a long value is named" "$err" \
    'parameter k1: values[0]: was …ord-word-word-word-1", now …ord-word-word-word-1-other"'
check_equal "each line is whole" "" "$(grep '^param' <<<"$err" | grep -v 'now .*-other"$')"
check_contains "what has no room is not hidden" "$err" $'\n…\nkeep both'
check_contains "and the last is one that can be pasted" "$err" \
    "with \`throng rm 'it'\\''s \"mine\"'\`, or undo"
