#!/usr/bin/env bash
# What is said at the ends of runs and of acts, and what is left beside a study.
. "$(dirname "$0")/lib.sh"

git init -q .
cat >study.yaml <<'E2'
name: words
command: [sh, -c, 'echo "::throng loss={x}"; exit {code}']
method: grid
grid: {order: written}
metric: {name: loss}
parameters:
  x: {values: [1, 2]}
  code: {value: 0}
E2
printf 'study.yaml\nother.yaml\n' >.git/info/exclude
"$THRONG" run study.yaml >out 2>err </dev/null
check_matches "a run whose output goes to a file ends with the ranking" \
    "$(cat out)" '^1	1	1\.0	1	0	done'
check_equal "git does not see where studies are kept" "" \
    "$(git status --porcelain | grep throng)"
check_equal "since it is told so" '*' "$(cat .throng/.gitignore)"
run "$THRONG" kill 1
check_contains "kill of a trial that has ended says so" "$err" \
    "throng kill: trial 1 has ended already (done)"
run "$THRONG" stop 1-2
check_contains "so does stop of several" "$err" "all 2 trials had ended before"
"$THRONG" rm -y words >/dev/null 2>&1
check "nothing is left when the last study goes" test ! -e .throng
mkdir .throng
"$THRONG" run -q study.yaml
check "a folder that was there is left as it is" test ! -e .throng/.gitignore

sed 's/code: {value: 0}/code: {value: 3}/; s/name: words/name: other/; s/::throng/nothing/' \
    study.yaml >other.yaml
run "$THRONG" run other.yaml
check_status "a study of failures is one" 3
check_lacks "it ends without an empty table" "$out" "rank"
run "$THRONG" explain other 1
check_contains "a trial failed, it is not failed" "$out" "Trial 1 failed: exit code 3."
cat >absent.yaml <<'E2'
name: absent
command: [./not-there]
retries: 0
points: [{x: 1}, {x: 2}, {x: 3}, {x: 4}, {x: 5}, {x: 6}]
parallel: 1
E2
run "$THRONG" run absent.yaml
run "$THRONG" explain absent 1
check_lacks "a hint that asks has no full stop behind" "$out" "?."
run "$THRONG" status absent
check_equal "the states of status sum up to all trials" 6 \
    "$(grep '^  ' <<<"$out" | awk '{ n += $NF } END { print n }')"

cat >away.yaml <<'E2'
name: away
command: [sh, -c, 'echo "::throng loss=1"']
metric: {name: loss}
points: [{x: 1}]
E2
run "$THRONG" run --detach away.yaml
check_matches "--detach names the study as one would" "$err" \
    'as process [0-9]+; `throng watch away` shows it$'
ended() { "$THRONG" status away --json | grep -q '"running":false.*"done":1'; }
check "and runs it" wait_for 30 ended

# ---- names that no folder may have ---------------------------------------------
named() { # NAME FILE
    printf 'name: %s\ncommand: [sh, -c, "echo ::throng loss={x}"]\nmethod: grid\nmetric: {name: loss}\nparameters: {x: {values: [1, 2]}}\n' \
        "$1" >"$2"
}
mkdir names && cd names || exit 1
named 'My sweep / test' slash.yaml
named 'My sweep - test' plain.yaml
named "'My sweep \\ test'" other.yaml
run "$THRONG" run slash.yaml
check_status "a name with a slash is taken" 0
check_equal "and what it becomes is said in one line" 1 \
    "$(grep -c "is called 'My sweep - test-[0-9a-f]*' here: the name 'My sweep / test' holds a slash" <<<"$err")"
"$THRONG" run -q plain.yaml
"$THRONG" run -q other.yaml
check_equal "names that fall together are studies of their own" 3 \
    "$(ls .throng | wc -l)"
run "$THRONG" rank slash.yaml
check_status "its file names the study" 0
run "$THRONG" rank 'My sweep / test'
check_status "so does its own name" 0
run "$THRONG" run slash.yaml
check_contains "and it goes on" "$err" "nothing was left to do"

cat >capped.yaml <<'E2'
name: capped
command: [sh, -c, 'echo "::throng loss={zeta}"']
method: random
run_cap: 2
metric: {name: loss}
parameters:
  zeta: {min: 0.0, max: 1.0}
  alpha: {min: 0.0, max: 1.0}
E2
run "$THRONG" check capped.yaml
check_contains "check has parameters in the file's order" "$out" "params   zeta (uniform), alpha (uniform)"
run "$THRONG" run capped.yaml
run "$THRONG" run capped.yaml --count 3
check_contains "a run that a cap ends says so" "$err" \
    "nothing was left to do: run_cap is 2, and a larger one goes on"
sed 's/capped/endless/; /run_cap/d' capped.yaml >endless.yaml
run "$THRONG" run endless.yaml --count 1
check_lacks "who says --count is not told to" "$err" "use --count"
sed 's/zeta: {/zeta: {distribution: loguniform, /' capped.yaml >log.yaml
run "$THRONG" check log.yaml
check_contains "what others call loguniform is not that of exponents" "$err" "log_uniform_values is it"

# ---- what other programs call it -------------------------------------------------
run "$THRONG" rank capped --sort zeta
check_contains "an option of other programs is answered by ours" "$err" "--by NAME ranks by something else"
run "$THRONG" export capped -o trials.csv
check_contains "also a short one" "$err" "goes to a file with \`> FILE\`"
run "$THRONG" export capped
check_equal "CSV is what export writes, unsaid" "$("$THRONG" export capped --csv)" "$out"
run "$THRONG" run mine.yaml
check_lacks "a file that is called otherwise is not meant" "$err" "did you mean"
run "$THRONG" run caped.yaml
check_contains "one that is nearly called so is" "$err" "did you mean capped.yaml?"
