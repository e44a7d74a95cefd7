#!/usr/bin/env bash
# Which trials a study makes: grid, random, points, repeat; the same ones
# however it is run.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
points() { # STUDY
    "$THRONG" export "$1" --jsonl >"$TMP/.out"
    json '"\n".join(str(sorted(t["params"].items())) for t in d)'
}

# ---- grid and nesting ------------------------------------------------------
cat >grid.yaml <<'END'
command: [throng, report, "loss={n}"]
method: grid
metric: {name: loss}
parameters:
  opt: {parameters: {name: {values: [sgd, adam]}, lr: {values: [0.1, 0.01]}}}
  n: {min: 1, max: 3}
END
run "$THRONG" run grid.yaml
check_status "a grid with nested parameters runs" 0
run "$THRONG" export --csv
check_equal "nested ones are columns of their own" "id,state,value,opt.name,opt.lr,n" \
    "$(head -n 1 <<<"$out" | cut -d, -f1-6)"
check_equal "every combination is there once" "12 12" \
    "$(sed 1d <<<"$out" | wc -l) $(sed 1d <<<"$out" | cut -d, -f4-6 | sort -u | wc -l)"
run "$THRONG" rank --where 'opt.lr < 0.05 and opt.name = adam' --json
check_equal "filters reach inside" 3 "$(json 'len(d["trials"])')"
run "$THRONG" rank --over opt.name -n 0 --json
check_equal "so does --over" 6 "$(json 'len(d["groups"])')"
run "$THRONG" rank --by opt.lr -n 1 --json
check_equal "and --by" 0.01 "$(json 'd["trials"][0]["value"]')"

# ---- random ----------------------------------------------------------------
cat >random.yaml <<'END'
command: ['true']
method: random
seed: 7
run_cap: 12
parameters:
  a: {min: 0.0, max: 1.0}
  b: {values: [x, y, z]}
  c: {distribution: q_log_uniform_values, min: 1, max: 1000}
END
run "$THRONG" run random.yaml
points random >whole
sed 's/^method/parallel: 1\nmethod/' random.yaml >one.yaml
run "$THRONG" run one.yaml
check_equal "random points do not depend on how many run at once" \
    "$(cat whole)" "$(points one)"
for n in 1 4 3 99; do
    "$THRONG" run random.yaml --new pieces --count $n 2>/dev/null
done
check_equal "nor on pauses between them" "$(cat whole)" "$(points pieces)"
sed 's/seed: 7/seed: 8/' random.yaml >other.yaml
run "$THRONG" run other.yaml
check_not "but on the seed" test "$(cat whole)" = "$(points other)"

# ---- sobol and lhs ---------------------------------------------------------
for pair in sobol:8 lhs:12; do
    method=${pair%:*} n=${pair#*:}
    sed "s/method: random/method: $method/" random.yaml >$method.yaml
    run "$THRONG" run $method.yaml
    check_status "$method runs" 0
    points $method >even
    check_equal "the first $n points of $method have $n parts of a range" $n \
        "$(head -n $n even | sed "s/.*('a', \([0-9.e-]*\)).*/\1/" |
            awk -v n=$n '{ print int($1 * n) }' | sort -u | wc -l)"
done

# ---- tpe -------------------------------------------------------------------
cat >tpe.yaml <<'END'
command: [sh, -c, 'if [ $THRONG_TRIAL = 17 ] && [ -n "$STAY" ] && mkdir $SIDE/here; then sleep 100; fi; throng report loss=$THRONG_P_a']
method: tpe
seed: 3
parallel: 1
run_cap: 30
metric: {name: loss}
tpe: {startup: 5}
parameters:
  a: {min: 0.0, max: 1.0}
  b: {values: [x, y, z]}
  c: {min: 1, max: 9, when: {b: [x, y]}}
END
export SIDE=$TMP STAY=
run "$THRONG" run tpe.yaml
check_status "tpe runs" 0
points tpe >whole
for n in 1 9 8 99; do
    "$THRONG" run tpe.yaml --new tpe-pieces --count $n 2>/dev/null
done
points tpe-pieces >pieces
check_equal "its first points are the same with pauses between them" \
    "$(head -n 5 whole)" "$(head -n 5 pieces)"
check_equal "and none comes twice" 30 "$(sort -u pieces | wc -l)"
STAY=1 "$THRONG" run tpe.yaml --new tpe-killed >/dev/null 2>&1 &
pid=$!
wait_for 60 test -d here
kill -KILL $pid
wait $pid 2>/dev/null
run "$THRONG" run tpe.yaml --new tpe-killed
points tpe-killed >killed
check_equal "a study that was killed begins as it would have" \
    "$(head -n 5 whole)" "$(head -n 5 killed)"
check_equal "and goes on to its end without a point twice" "0 30" \
    "$status $(sort -u killed | wc -l)"
sed 's/startup/start/' tpe.yaml >wrong.yaml
run "$THRONG" check wrong.yaml
check_contains "an option that it does not have is refused" "$err" \
    "method tpe has no option 'start'; did you mean startup?"

# ---- points ----------------------------------------------------------------
printf 'lr,name\n0.1,a\n0.2,"b, c"\n' >list.csv
printf '%s\n' 'command: [throng, report, "loss={lr}"]' 'points: list.csv' \
    'metric: {name: loss}' >csv.yaml
run "$THRONG" run csv.yaml
check_status "points come from CSV" 0
check_equal "as they stand there" "[('lr', 0.1), ('name', 'a')]
[('lr', 0.2), ('name', 'b, c')]" "$(points csv)"
printf '0.3,d\n' >>list.csv
run "$THRONG" run csv.yaml
check_equal "a list that has grown extends the study" "0 3" \
    "$status $(points csv | wc -l)"
sed -i 's/0.1,a/0.15,a/' list.csv
run "$THRONG" run csv.yaml
check_status "one that has changed does not" 1
check_contains "which is said" "$err" "points"
printf '{"lr": 0.5}\n{"lr": 1, "more": [1, {"x": null}]}\n' >list.jsonl
sed 's/list.csv/list.jsonl/' csv.yaml >jsonl.yaml
run "$THRONG" run jsonl.yaml
check_equal "points come from JSON lines" "[('lr', 0.5)]
[('lr', 1), ('more', [1, {'x': None}])]" "$(points jsonl)"

# ---- repeat ----------------------------------------------------------------
cat >repeat.yaml <<'END'
command: [sh, -c, 'echo $THRONG_SEED >>$SIDE/seeds; throng report loss=$(($THRONG_P_a * 10 + THRONG_TRIAL))']
method: grid
repeat: 3
metric: {name: loss}
parameters: {a: {values: [2, 1]}}
END
export SIDE=$TMP
run "$THRONG" run repeat.yaml
check_equal "repeat makes so many trials of each point" "0 6" \
    "$status $(points repeat | wc -l)"
check_equal "each with a seed of its own" 6 "$(sort -u seeds | wc -l)"
check_contains "the run says how points are ranked" "$err" \
    "each point runs 3 times: \`throng rank --over seed\` ranks points by the mean"
run "$THRONG" rank --over seed --json
check_equal "rank --over seed has a row for each point" \
    "1 3 15.0 1.0 14.0 16.0 4" "$(json '"%d %d %s %s %s %s %d" % (
        d["groups"][0]["params"]["a"], *(d["groups"][0][k] for k in
        ("count", "mean", "std", "min", "max", "best")))')"
check_equal "best first" 2 "$(json 'd["groups"][1]["params"]["a"]')"
run "$THRONG" rank --over seed --where 'a = 2' -n 1 --json
check_equal "--where goes with it" 2 "$(json 'd["groups"][0]["params"]["a"]')"
