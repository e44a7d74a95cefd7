#!/usr/bin/env bash
# run --dry-run, --fix and --detach.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
tab=$(printf '\t')

cat >study.yaml <<'END'
name: mine
command: [sh, -c, 'throng report loss={lr}', "{opt}"]
method: grid
grid: {order: written}
metric: {name: loss}
parameters:
  lr: {values: [0.1, 0.2, 0.3]}
  opt: {values: [sgd, adam]}
END

# ---- --dry-run -------------------------------------------------------------
run "$THRONG" run --dry-run study.yaml
check_status "a dry run ends well" 0
check_not "and writes nothing" test -e .throng
check_equal "it lists every trial" 7 "$(wc -l <<<"$out")"
check_matches "with its command and parameters" "$out" \
    "^2${tab}new${tab}sh -c 'throng report loss=0.1' adam${tab}.\"lr\":0.1,\"opt\":\"adam\".$"
run "$THRONG" run -n --count 2 study.yaml
check_equal "as many as are asked for" 3 "$(wc -l <<<"$out")"
run "$THRONG" run study.yaml --count 2
run "$THRONG" rerun mine 1
run "$THRONG" run -n study.yaml
check_matches "what waits comes first" "$(sed -n 2p <<<"$out")" "^3${tab}goes on${tab}"
check_matches "then what is new" "$(sed -n 3p <<<"$out")" "^4${tab}new${tab}sh -c 'throng report loss=0.2' sgd"
run "$THRONG" run study.yaml
run "$THRONG" run -n study.yaml
check_contains "nothing is left when all is done" "$err" "nothing is left to do"
sed 's/grid/random/' study.yaml >endless.yaml
run "$THRONG" run -n endless.yaml --new endless
check_contains "a study without end says so" "$err" "without end"
run "$THRONG" run -n study.yaml --fix lr=0.3
check_contains "a parameter that is fixed makes another study" "$err" "the study mine-lr-0.3"
check_lacks "which is not the one that verbs mean" "$err" "now mean"

# ---- --fix -----------------------------------------------------------------
run "$THRONG" run study.yaml --fix lr=0.2
check_status "a parameter can be fixed" 0
check_contains "which makes another study" "$err" "the study mine-lr-0.2"
run "$THRONG" export mine-lr-0.2 --jsonl
check_equal "with that value" "0.2 0.2" "$(json '" ".join(str(t["params"]["lr"]) for t in d)')"
run "$THRONG" run study.yaml --fix lr=0.2
check_contains "the same again goes on with it" "$err" "nothing was left to do"
run "$THRONG" run study.yaml --fix opt=adam --fix lr=7 --new seven
check_status "several can, also outside of the space, under a name" 0
run "$THRONG" export seven --jsonl
check_equal "and with the parameter's type" "{'lr': 7, 'opt': 'adam'}" "$(json 'd["params"]')"
run "$THRONG" show seven 1 --command
check_contains "what was fixed is remembered" "$out" "report loss=7"
run "$THRONG" run study.yaml --fix lr=9 --count 1 --new 'it is 9'
check_contains "how to go on is said in full" "$err" \
    "\`throng run study.yaml --new 'it is 9' --fix lr=9\` goes on"
run "$THRONG" rerun 'it is 9' 1
check_contains "so does a rerun" "$err" \
    "\`throng run study.yaml --new 'it is 9' --fix lr=9\` goes on"
mkdir -p elsewhere
run env -C elsewhere "$THRONG" rerun "$PWD/.throng/it is 9" 1
check_contains "also seen from another folder" "$err" \
    "\`throng run $PWD/study.yaml --new"
run "$THRONG" run study.yaml --fix lrr=1
check_status "a parameter that is not there" 2
check_contains "is suggested" "$err" "did you mean \`lr\`?"
run "$THRONG" run study.yaml --fix lr
check_status "a value is needed" 2
check_contains "and shown how" "$err" "NAME=VALUE"

# ---- --detach --------------------------------------------------------------
cat >slow.yaml <<'END'
name: slow
command: [sh, -c, 'touch began; until test -e end; do sleep 0.05; done; throng report loss=1']
metric: {name: loss}
points: [{x: 1}]
END
run setsid -w "$THRONG" run --detach slow.yaml
check_status "a study goes to the background" 0
check_contains "and says how to follow it" "$err" "throng watch"
check "it runs" wait_for 20 test -e began
run "$THRONG" status slow --json
check_equal "without anybody" True "$(json 'd["running"]')"
run "$THRONG" run -d slow.yaml
check_status "a second one is refused at once" 5
check_contains "with the reason, here" "$err" "slow"
touch end
finished() { "$THRONG" status slow --json | grep -q '"running":false.*"done":1'; }
check "it ends by itself" wait_for 20 finished
check "its words are in its log" wait_for 20 grep -q "1/1 done" .throng/slow/conductor.log
# Who reads what it says is not kept waiting.
rm -f began end
"$THRONG" run -d slow.yaml --new piped 2>&1 | timeout 200 cat >piped.out
check_equal "a pipe that it was started with is let go" "0 0" "${PIPESTATUS[*]}"
check_contains "when all is said" "$(cat piped.out)" "throng watch"
touch end
finished() { "$THRONG" status piped --json | grep -q '"running":false.*"done":1'; }
check "and it goes on" wait_for 20 finished
echo "name: [" >broken.yaml
run "$THRONG" run -d broken.yaml
check_status "mistakes are seen at once" 1
check_contains "where they are" "$err" "broken.yaml:"
