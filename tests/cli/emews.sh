#!/usr/bin/env bash
# Algorithms written for EMEWS's queues, under method: external.
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/emews/* .
json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
finished() { "$THRONG" status "$1" --json >.out && json 'd["finished"]'; }
points() { "$THRONG" export "$1" --jsonl | python3 -c '
import json, sys
print(sorted((t["params"]["x"], t["params"]["y"]) for t in map(json.loads, sys.stdin)))'; }

# ---- Python --------------------------------------------------------------------

run "$THRONG" run --quiet ga.yaml
check_equal "a driver like DEAP's decides the points" "0 24" \
    "$status $(finished emews-ga)"
check_contains "its settings came, and its last word is kept" \
    "$(cat .throng/emews-ga/external.log)" "Parameters: 4, 8, 1
best: (0."
whole=$(points emews-ga)
sed 's/^name:.*/name: halves/' ga.yaml >halves.yaml
"$THRONG" run --quiet halves.yaml --count 11
run "$THRONG" run --quiet halves.yaml
check_equal "in two runs it tries the same points, none twice" "$whole" \
    "$(points halves)"

cat >sums.py <<'END'
import eqpy
eqpy.OUT_put("1,2;3,4")
first = eqpy.IN_get()
eqpy.OUT_put("[[0, 0.5], [1, 1]]")
print("results", first, eqpy.IN_get())
END
cat >sums.yaml <<'END'
name: sums
command: [throng, report, "loss={y}"]
method: external
external: {command: [python3, -m, throng.emews, sums.py]}
parallel: 1
metric: {name: loss}
parameters: {x: {min: 0.0, max: 5.0}, y: {min: 0.0, max: 5.0}}
END
run "$THRONG" run --quiet sums.yaml
check_equal "numbers alone are points too, and the end of the file an end" \
    "0 4" "$status $(finished sums)"
check_contains "results come in the order of the points" \
    "$(cat .throng/sums/external.log)" "results 2.0;4.0 0.5;1.0"

sed -e 's/sums/broken/' sums.yaml >broken.yaml
sed -i 's/sums.py/broken.py/' broken.yaml
printf 'import eqpy\ndef run():\n    raise ValueError("no such luck")\n' >broken.py
run "$THRONG" run --quiet broken.yaml
check_not "an algorithm that fails ends the study" test "$status" = 0
check_contains "with its own words" "$(cat .throng/broken/external.log)" \
    "ValueError: no such luck"

# ---- R ---------------------------------------------------------------------------

if ! command -v Rscript >/dev/null; then
    skip "a driver like mlrMBO's decides the points" "Rscript is not installed"
    exit 0
fi
"$THRONG" run --quiet mbo.yaml --count 7
run "$THRONG" run --quiet mbo.yaml
check_equal "a driver like mlrMBO's decides the points, in two runs" "0 20" \
    "$status $(finished emews-mbo)"
check_contains "and ends by itself" "$(cat .throng/emews-mbo/external.log)" \
    "algorithm done."
check "what it saves is there" test -f final_res.Rds
sed 's/^name:.*/name: mbo-whole/' mbo.yaml >whole.yaml
"$THRONG" run --quiet whole.yaml
check_equal "the points are those of one run" "$(points mbo-whole)" \
    "$(points emews-mbo)"
