#!/usr/bin/env bash
# warm_start: results of another study or of a CSV file come first.
. "$(dirname "$0")/lib.sh"

cat >first.yaml <<'END'
name: first
command: [sh, -c, '[ {n} != 3 ] && throng report loss=$(awk "BEGIN { print ({x} - 0.7) ^ 2 }") extra=1']
method: random
run_cap: 40
seed: 4
metric: {name: loss}
parameters: {x: {min: 0.0, max: 1.0}, n: {values: [1, 2, 3]}, old: {value: 5}}
END
run "$THRONG" run first.yaml
cat >own.py <<'END'
import json, sys
heard = open("heard", "a")
for line in sys.stdin:
    heard.write(line); heard.flush()
    m = json.loads(line)
    if "ask" in m:
        print(json.dumps({"trials": [{"params": {"x": 0.5, "n": 1, "more": 1}}]}), flush=True)
END
look() { python3 -c 'import json, sys
d = [json.loads(line) for line in open("heard")]
print(eval(sys.argv[1]))' "$1"; }
cat >second.yaml <<'END'
name: second
command: [throng, report, "loss={x}"]
method: external
external: {command: [python3, own.py]}
run_cap: 2
parallel: 1
warm_start: first
metric: {name: loss}
parameters: {x: {min: 0.5, max: 1.0}, n: {values: [1, 2, 3]}, more: {value: 1}}
END
run "$THRONG" check second.yaml
check_matches "check says how much will be known" "$out" '^ +[0-9]+ results of first are known before'
run "$THRONG" run second.yaml --count 1
check_status "a study starts from another one" 0
inside=$("$THRONG" export first --csv | python3 -c 'import csv, sys
print(sum(float(r["x"]) >= 0.5 for r in csv.DictReader(sys.stdin)))')
check_contains "it is said how much is known" "$err" "$inside results of first are known"
check_contains "and what is left out, and why" "$err" "$((40 - inside)) results of first are left out: x"
check_equal "results come before the first ask, without a number" "True $inside" \
    "$(look 'str(all(list(m)[0] == "told" for m in d[1:1 + '$inside'])) + " " + str(sum("told" in m and "id" not in m["told"] for m in d))')"
check_equal "failures too" True \
    "$(look 'any(m["told"].get("state") == "failed" for m in d if "told" in m)')"
check_equal "in the space of the new study" "['more', 'n', 'x'] 1" \
    "$(look '"%s %s" % (sorted(d[1]["told"]["params"]), d[1]["told"]["params"]["more"])')"
grep '"told"' heard >before
rm -r heard .throng/first
run "$THRONG" run second.yaml
check_equal "what happens to its source later changes nothing" "$(cat before)" \
    "$(grep '"told"' heard | grep -v '"id"')"
sed 's/warm_start: first/warm_start: other/' second.yaml >changed.yaml
run "$THRONG" run changed.yaml --new second
check_contains "another start is another study" "$err" "warm_start"

# ---- a table, with every method that learns --------------------------------
python3 - >start.csv <<'END'
print("state,x,n,loss,note")
for i in range(60):
    print("done,%g,%d,%g,a" % (i / 60, i % 3 + 1, (i / 60 - 0.7) ** 2 + (i % 3) * 0.01))
print("failed,0.1,3,,b")
print("done,7,1,0,outside")
print("done,0.2,1,,no value")
END
cat >none.yaml <<'END'
command: [throng, report, "loss={x}"]
warm_start: none.csv
metric: {name: loss}
parameters: {x: {min: 0.0, max: 1.0}}
END
run "$THRONG" check none.yaml
check_equal "check finds a table that is not there" "1 1" "$status $(grep -c 'no file .*none.csv' <<<"$err")"
: >none.csv
run "$THRONG" check none.yaml
check_contains "one without a header has no values" "$err" 'no column `loss`'
for method in tpe gp bayes cmaes forest auto; do
    printf '%s\n' "name: $method" 'command: [throng, report, "loss={x}"]' \
        "method: $method" 'run_cap: 6' 'parallel: 1' 'warm_start: start.csv' \
        'metric: {name: loss}' \
        'parameters: {x: {min: 0.0, max: 1.0}, n: {values: [1, 2, 3]}}' >$method.yaml
    run "$THRONG" check $method.yaml --json
    check_contains "$method: check says what is known" "$out" '61 results of start.csv are known'
    run "$THRONG" run $method.yaml
    check_equal "$method takes a table" "0 1" "$status $(grep -c '61 results of start.csv are known' <<<"$err")"
    # CMA-ES begins with a population around its own start.
    [ $method != cmaes ] || continue
    near=$("$THRONG" export $method --csv | python3 -c 'import csv, sys
print(sum(abs(float(r["x"]) - 0.7) < 0.25 for r in csv.DictReader(sys.stdin)))')
    check "$method looks where the table is good ($near of 6 near)" test "$near" -ge 4
done
"$THRONG" export tpe --csv >again.csv
sed 's/name: tpe/name: again/; s/start.csv/again.csv/' tpe.yaml >again.yaml
run "$THRONG" run again.yaml
check_contains "what export writes can be read" "$err" "6 results of again.csv are known"
"$THRONG" suggest tpe.yaml >.out 2>.err <<<'{"ask":6}'
check_contains "suggest knows them too" "$(cat .err)" "61 results of start.csv are known"
check_equal "and looks there as well" True "$(python3 -c 'import json
t = json.load(open(".out"))["trials"]
print(sum(abs(x["params"]["x"] - 0.7) < 0.25 for x in t) >= 3)')"

# ---- mistakes --------------------------------------------------------------
sed 's/name: tpe/name: none/; s/start.csv/nothing/' tpe.yaml >none.yaml
run "$THRONG" run none.yaml
check_status "a source that is not there is an error" 1
check_contains "that says where it was looked for" "$err" "no study nothing"
sed 's/loss/lost/g' start.csv >lost.csv
sed 's/name: tpe/name: lost/; s/start.csv/lost.csv/' tpe.yaml >lost.yaml
run "$THRONG" run lost.yaml
check_contains "a table needs the metric" "$err" "no column \`loss\`"
sed '1s/,x,/,z,/' start.csv >without.csv
sed 's/name: tpe/name: without/; s/start.csv/without.csv/' tpe.yaml >without.yaml
run "$THRONG" run without.yaml
check_contains "a parameter that it lacks is named" "$err" "left out: x is missing"
check_status "and the study runs without it" 0
sed 's/method: tpe/method: sobol/' tpe.yaml >sobol.yaml
run "$THRONG" check sobol.yaml
check_contains "a method that does not learn is said to make no use of it" "$err" "does not learn"
sed 's/method: tpe/method: hyperspace/; s/^tpe:.*//' tpe.yaml >hyperspace.yaml
run "$THRONG" check hyperspace.yaml
check_lacks "hyperspace learns as the method inside of it does" "$err" "does not learn"

# ---- a trial that a person adds -------------------------------------------------
# Its number is one that a result of the start has, too. The only low place is
# where the person looked: a method that heard of it looks there again.
python3 -c 'print("x,loss")
for i in range(40): print("%g,1" % (i / 40))' >flat.csv
cat >dip.sh <<'END'
case $1 in 0.71*) echo "::throng loss=0" ;; *) echo "::throng loss=1" ;; esac
END
for method in gp tpe; do
    printf '%s\n' "name: dip-$method" 'command: [sh, dip.sh, "{x}"]' "method: $method" \
        'run_cap: 20' 'parallel: 1' 'seed: 5' 'warm_start: flat.csv' \
        'metric: {name: loss}' 'parameters: {x: {min: 0.0, max: 1.0}}' >dip.yaml
    run "$THRONG" run dip.yaml --count 1
    run "$THRONG" add "dip-$method" x=0.7125
    run "$THRONG" run dip.yaml
    near=$("$THRONG" export "dip-$method" --csv | python3 -c 'import csv, sys
print(sum(abs(float(r["x"]) - 0.7125) < 0.02 for r in csv.DictReader(sys.stdin)))')
    check "$method hears of an added trial beside as many results of the start" \
        test "$near" -ge 3
    run "$THRONG" doctor "dip-$method" --replay
    check_status "and suggests the same again" 0
done
