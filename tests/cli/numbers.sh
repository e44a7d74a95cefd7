#!/usr/bin/env bash
# Numbers as people write them, in tables, for programs and on command lines.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'E2'
name: steps
command: [sh, -c, 'echo "given {x}"; echo "::throng loss={x}"']
method: grid
grid: {order: written}
metric: {name: loss}
parameters:
  x: {distribution: q_uniform, min: 0.1, max: 0.8, q: 0.1}
E2
run "$THRONG" run -q study.yaml
check_status "a study over steps of 0.1 runs" 0
run "$THRONG" logs 3
check_equal "a task is given 0.3, not 0.30000000000000004" "given 0.3
::throng loss=0.3" "$out"
run "$THRONG" show 3
check_matches "show has the same" "$out" '^  x  0\.3$'
run "$THRONG" show 3 --command
check_contains "so has the line that runs it by hand" "$out" "given 0.3"
run "$THRONG" rank
check_equal "rank has the numbers of its grid" "0.1 0.2 0.3 0.4 0.5 0.6 0.7" \
    "$(cut -f 3 <<<"$out" | tail -n +2 | paste -sd ' ')"
check_equal "seconds have at most four decimals" "" \
    "$(cut -f 6 <<<"$out" | tail -n +2 | grep -vE '^[0-9]+(\.[0-9]{1,4})?$')"
for how in "rank --json" "export --jsonl" "show --json"; do
    # shellcheck disable=SC2086 # two words
    run "$THRONG" $how
    check_lacks "$how has no seconds finer than a clock" \
        "$(grep -oE 'seconds":[0-9.]+' <<<"$out" | grep -E '\.[0-9]{7}')" .
done
