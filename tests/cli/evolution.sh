#!/usr/bin/env bash
# Methods that breed: a first population from a file, generations, training
# that goes on from a better one's checkpoint.
# thorough: many generations
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
points() { # STUDY
    "$THRONG" export "$1" --jsonl >"$TMP/.out"
    json '"\n".join(str(sorted(t["params"].items())) for t in d)'
}

# ---- ga --------------------------------------------------------------------
cat >ga.yaml <<'END'
command: [throng, report, "loss={a}"]
method: ga
seed: 3
run_cap: 26
metric: {name: loss}
ga: {strategy: mu_plus_lambda, population: 6}
points: first.csv
parameters:
  a: {min: 0.0, max: 1.0}
  b: {values: [x, y, z]}
END
printf 'a,b\n0.9,x\n0.8,y\n0.7,z\n0.95,x\n0.75,y\n0.85,z\n' >first.csv
run "$THRONG" run ga.yaml
check_status "ga runs in generations" 0
points ga >whole
check_equal "the first population is that of the file" \
    "[('a', 0.9), ('b', 'x')] [('a', 0.85), ('b', 'z')]" \
    "$(sed -n 1p whole) $(sed -n 6p whole)"
check_equal "and no point comes twice" 26 "$(sort -u whole | wc -l)"
run "$THRONG" rank ga.yaml -n 1 --json
check_equal "the best one is not in the file" True \
    "$(json 'd["trials"][0]["value"] < 0.7')"
sed 's/^method/parallel: 1\nmethod/' ga.yaml >ga-one.yaml
run "$THRONG" run ga-one.yaml
check_equal "generations do not depend on how many run at once" \
    "$(cat whole)" "$(points ga-one)"
for n in 3 8 1 99; do
    "$THRONG" run ga.yaml --new ga-pieces --count $n 2>/dev/null
done
check_equal "nor on pauses between them" "$(cat whole)" "$(points ga-pieces)"
sed 's/^method/order: lag\nlag: 4\nmethod/' ga.yaml >ga-lag.yaml
run "$THRONG" check ga-lag.yaml
check_status "check refuses what run refuses: generations with results held back" 1
check_contains "and says why" "$err" "holds back"

# ---- pbt -------------------------------------------------------------------
# The state is how many steps were made, and what they added up to.
cat >train.sh <<'END'
n=0 w=0
[ -f "$THRONG_CHECKPOINT/state" ] && read -r n w <"$THRONG_CHECKPOINT/state"
from=$n
while [ "$n" -lt "$THRONG_BUDGET" ]; do
    n=$((n + 1))
    w=$((w + 1000 - ($1 > 700 ? $1 - 700 : 700 - $1)))
done
echo "$n $w" >"$THRONG_CHECKPOINT/state"
throng report from=$from steps=$n weight=$w
END
cat >pbt.yaml <<'END'
command: [sh, train.sh, '{a}']
method: pbt
seed: 1
run_cap: 40
metric: {name: weight, goal: maximize}
pbt: {population: 4, steps: 3}
parameters:
  a: {min: 1, max: 1000}
END
run "$THRONG" run pbt.yaml
check_status "pbt runs" 0
run "$THRONG" export pbt --jsonl
check_equal "every trial makes its steps" "[3.0]" \
    "$(json 'sorted({t["metrics"]["steps"]["last"] -
                     t["metrics"]["from"]["last"] for t in d})')"
check_equal "and goes on from the checkpoint of an earlier one" "True True" \
    "$(json '"%s %s" % (all(t["metrics"]["from"]["last"] > 0 for t in d[8:]),
                        max(t["metrics"]["steps"]["last"] for t in d) >= 27)')"
check_equal "with points that were changed" True \
    "$(json 'len({t["params"]["a"] for t in d}) > 4')"
check_equal "and all add up to more than most first points do alone" True \
    "$(json '(max(t["value"] / t["metrics"]["steps"]["last"] for t in d[-8:]) >
              sorted(t["value"] for t in d[:4])[1] / 3)')"
sed 's/w + 1000 .*/w + 1))/' train.sh >real.sh
sed 's/train/real/; s/pbt: {/&resample: 0, /; s/1000/1000.0/' pbt.yaml >fifth.yaml
run "$THRONG" run fifth.yaml
check_status "pbt runs with a real number" 0
run "$THRONG" export fifth --jsonl
check_equal "which a copy changes by a fifth" "[0.8, 1.0, 1.2]" \
    "$(json 'sorted({round(t["params"]["a"] / d[t["parent"] - 1]["params"]["a"],
                           6) for t in d if t.get("parent")} | {1.0})')"
sed 's/^method/parallel: 1\nmethod/' pbt.yaml >line.yaml
run "$THRONG" run line.yaml
points line >whole
for n in 3 4 14 99; do
    "$THRONG" run line.yaml --new line-pieces --count $n 2>/dev/null
done
check_equal "pauses change nothing" "$(cat whole)" "$(points line-pieces)"

# ---- hyperspace ------------------------------------------------------------
cat >boxes.yaml <<'END'
command: [throng, report, "loss={a}"]
method: hyperspace
seed: 2
parallel: 1
run_cap: 30
metric: {name: loss}
hyperspace: {phi: 0, options: {startup: 2}}
parameters:
  a: {min: 0.0, max: 1.0}
  b: {values: [x, y, z]}
END
run "$THRONG" run boxes.yaml
check_status "hyperspace runs with fewer workers than sub-spaces" 0
points boxes >whole
check_equal "each sub-space in turn" "high z|low z|high xy|low xy" "$(
    sed "s/.*('a', \([0-9.e-]*\)), ('b', '\(.\)').*/\1 \2/" whole |
        awk '{ side[NR % 4] = side[NR % 4] ($1 >= 0.5 ? "H" : "L") $2 }
             END { for (i = 1; i <= 4; i++) {
                 s = side[i % 4]
                 a = s ~ /H/ ? (s ~ /L/ ? "both" : "high") : "low"
                 b = (s ~ /x/ ? "x" : "") (s ~ /y/ ? "y" : "") (s ~ /z/ ? "z" : "")
                 printf "%s%s %s", (i > 1 ? "|" : ""), a, b } }')"
for n in 7 8 99; do
    "$THRONG" run boxes.yaml --new boxes-pieces --count $n 2>/dev/null
done
check_equal "and goes on after a pause" "$(cat whole)" "$(points boxes-pieces)"

# ---- pbt of a program without checkpoints -----------------------------------
cat >bare.yaml <<'END'
name: bare
method: pbt
pbt: {population: 2}
run_cap: 4
max_failures: 9
parallel: 1
metric: {name: loss}
command: [sh, -c, 'throng report loss={a}']
parameters: {a: {min: 0.0, max: 1.0}}
END
run "$THRONG" run bare.yaml --keep-going
run "$THRONG" errors bare.yaml
check_contains "pbt without checkpoints says what is missing" "$out" "no checkpoint to go on from"
check_contains "and what to do" "$err" "must write checkpoints"
