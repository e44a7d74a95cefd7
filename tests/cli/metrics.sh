#!/usr/bin/env bash
# Several metrics, and constraints: kept, ranked, told.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
cat >study.yaml <<'END'
name: two
command: [sh, -c, 'throng report cost={a} gain={b} memory={c}']
metrics: [{name: cost}, {name: gain, goal: maximize}]
constraints: [{name: memory, min: 1, max: 5}]
points:
  - {a: 1, b: 1, c: 2}
  - {a: 2, b: 3, c: 2}
  - {a: 3, b: 2, c: 2}
  - {a: 0, b: 9, c: 6}
  - {a: 0, b: 9, c: 0.5}
  - {a: 4, b: 9, c: 5}
  - {a: 5, b: 8, c: 1}
END
run "$THRONG" check study.yaml
check_contains "check names each metric" "$out" "metric   gain, maximize"
check_contains "and each bound" "$out" "bound    memory at most 5"
check_lacks "all is acted on" "$err" "not"
run "$THRONG" run study.yaml
check_status "a study of several metrics runs" 0
check_contains "it ends with the Pareto set" "$err" \
    "3 trials (*) are the Pareto set: no other beats one of them in every metric"
check_contains "and with what is broken" "$err" "2 of 7 trials break a constraint, and rank last"
run "$THRONG" rank
check_equal "the Pareto set comes first and is marked, broken bounds come last" \
    "1 * 1.0 1.0 
2 * 2.0 3.0 
6 * 4.0 9.0 
3  3.0 2.0 
7  5.0 8.0 
5  0.0 9.0 0.5
4  0.0 9.0 1.0" "$(sed 1d <<<"$out" | tr '\t' '|' | awk -F'|' '{ print $2, $3, $4, $5, $6 }')"
run "$THRONG" rank --json
check_equal "programs see values, fronts and what is feasible" \
    "[(1, 1, True, [1.0, 1.0]), (2, 1, True, [2.0, 3.0]), (6, 1, True, [4.0, 9.0]), (3, 2, True, [3.0, 2.0]), (7, 2, True, [5.0, 8.0]), (5, None, False, [0.0, 9.0]), (4, None, False, [0.0, 9.0])]" \
    "$(json '[(t["id"], t["front"], t["feasible"], t["values"]) for t in d["trials"]]')"
run "$THRONG" rank --where 'a > 1' -n 1 --json
check_equal "filters and numbers of rows go with it" "[2]" "$(json '[t["id"] for t in d["trials"]]')"
run "$THRONG" rank -r -n 1 --json
check_equal "so does --reverse" "[4]" "$(json '[t["id"] for t in d["trials"]]')"
run "$THRONG" rank --by gain -n 2 --json
check_equal "--by ranks by one of them alone" "[4, 5]" "$(json '[t["id"] for t in d["trials"]]')"
run "$THRONG" rank --by value --json
check_equal "--by value by the first, of those that count" "[1, 2, 3, 6, 7]" \
    "$(json '[t["id"] for t in d["trials"]]')"
run "$THRONG" status --json
# From (5, 1): (5-1)(…) boxes of cost and gain: 1 is on the edge, 2 gives
# 3 x 2 and 6 gives 1 x 6 more above it.
check_equal "status has the Pareto set and its volume" "2 [1, 2, 6] 12.0" \
    "$(json '"%d %s %s" % (d["infeasible"], d["pareto"], d["hypervolume"])')"
check_equal "the best keeps to the constraints" 1 "$(json 'd["best"]["id"]')"
run "$THRONG" status
check_contains "for people too" "$out" "pareto   3 trials"
check_contains "with what is broken" "$out" "2 trials break a constraint"
run "$THRONG" show 4
check_contains "a trial says which bound it breaks" "$out" "memory is 6, above its max 5"
run "$THRONG" explain 4
check_contains "and what that means" "$out" "It ranks behind all trials that keep the constraints."
check_lacks "it has reported" "$out" "did not report"
run "$THRONG" watch -1 two
check_equal "watch shows every metric, and who breaks a constraint" "5 0 9 done (broken)" \
    "$(awk '$1 == 6 { print $2, $3, $4, $5, $6; exit }' <<<"$out")"

# ---- one metric with a constraint ------------------------------------------
sed -e 's/^name: two/name: one/; s/^metrics.*/metric: {name: cost, target: 0.5}/' study.yaml >one.yaml
run "$THRONG" run one.yaml
check_equal "what breaks a constraint reaches no target" "0 7" \
    "$status $("$THRONG" export one --csv | sed 1d | wc -l)"
run "$THRONG" rank one --json
check_equal "and ranks after the rest" "[1, 2, 3, 6, 7, 5, 4]" \
    "$(json '[t["id"] for t in d["trials"]]')"

sed -e 's/^name: one/name: none/; s/max: 5/max: 0.1/; s/min: 1, //' one.yaml >none.yaml
run "$THRONG" run none.yaml
check_contains "where all break it, that is said" "$err" "all 7 trials break a constraint: the one that is nearest to keeping it ranks first"
check_equal "and they are ranked all the same" 5 "$(awk -F'\t' '$1 == 1 { print $2 }' <<<"$out")"

# ---- what a strategy is told, now and when a study goes on -----------------
cat >own.py <<'END'
import json, sys
points = [[1, 1, 2], [2, 3, 6], [3, 2, 0.5], [4, 4, 4]]
heard = open("heard", "a")
for line in sys.stdin:
    heard.write(line); heard.flush()
    m = json.loads(line)
    if "ask" in m:
        a, b, c = points[m["first"]]
        print(json.dumps({"trials": [{"params": {"a": a, "b": b, "c": c}}]}), flush=True)
END
sed -e '/^points/,$d; s/^name: two/name: told/' study.yaml >told.yaml
cat >>told.yaml <<'END'
method: external
external: {command: [python3, own.py]}
parallel: 1
run_cap: 4
parameters: {a: {min: 0, max: 9}, b: {min: 0, max: 9}, c: {min: 0.0, max: 9.0}}
END
look() { python3 -c 'import json, sys
d = [json.loads(line) for line in open("heard")]
print(eval(sys.argv[1]))' "$1"; }
"$THRONG" run told.yaml --count 3 2>/dev/null
check_equal "all values are told, and how far each bound is broken" \
    "[([1.0, 1.0], [-1.0, -3.0]), ([2.0, 3.0], [-5.0, 1.0]), ([3.0, 2.0], [0.5, -4.5])]" \
    "$(look '[(m["values"], m["constraints"]) for m in d if "tell" in m]')"
rm heard
"$THRONG" run told.yaml 2>/dev/null
check_equal "the same when a study goes on" \
    "[([1.0, 1.0], [-1.0, -3.0]), ([2.0, 3.0], [-5.0, 1.0]), ([3.0, 2.0], [0.5, -4.5])]" \
    "$(look '[(m["told"]["values"], m["told"]["constraints"]) for m in d if "told" in m]')"

# ---- the file --------------------------------------------------------------
sed 's/max: 5/max: 6/' study.yaml >more.yaml
run "$THRONG" run more.yaml --new two
check_status "another bound is another study" 1
printf '%s\n' 'metric: {name: gain}' >>study.yaml
run "$THRONG" check study.yaml
check_contains "metric beside metrics is the first of them" "$err" "not the first"
printf '%s\n' 'command: ls' 'method: tpe' 'run_cap: 3' 'metrics: [a, b]' \
    'parameters: {x: {min: 0, max: 1}}' >tpe.yaml
run "$THRONG" check tpe.yaml
check_contains "a method of one metric is said to be one" "$err" "first metric only"

# ---- values that are no numbers --------------------------------------------
cat >odd.yaml <<'END'
command: echo "::throng loss={v}"
method: grid
metric: {name: loss, target: -1000}
parameters: {v: {values: ["-inf", "inf", "nan", "2", "1"]}}
END
run "$THRONG" run odd.yaml
check_equal "an infinite value reaches no target and is not the best" "0 5" \
    "$status $("$THRONG" status odd --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["best"]["id"])')"
run "$THRONG" rank odd --json
check_equal "and what has none does not rank" "[5, 4]" \
    "$(json '[t["id"] for t in d["trials"] if t["value"] is not None]')"

# ---- more names than are kept -----------------------------------------------
cat >many.py <<'END'
for i in range(10100):
    print("::throng n%d=1" % i)
print("::throng loss=3 late=4")
END
cat >many.yaml <<'END'
command: [python3, many.py]
metric: {name: loss}
constraints: [{name: late, max: 5}]
points: [{v: 1}]
END
run "$THRONG" run many.yaml
run "$THRONG" export many --jsonl
check_equal "objectives and bounds are kept among any number of names" "3.0 4.0" \
    "$(json '" ".join(str(float(d["metrics"][n]["last"])) for n in ("loss", "late"))')"
