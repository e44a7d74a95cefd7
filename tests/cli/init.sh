#!/usr/bin/env bash
# init: a study that runs, from every template.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }

for template in sweep:20 points:6 shell:10 wandb:12 search:40 factorial:120 ensemble:12; do
    name=${template%:*}
    mkdir "$name"
    cd "$name" || exit 1
    run "$THRONG" init --template "$name"
    check_status "init writes the template $name" 0
    check_equal "and nothing as data ($name)" "" "$out"
    run "$THRONG" check study.yaml
    check_status "its study has no mistake ($name)" 0
    check_equal "and no warning ($name)" "" "$err"
    run "$THRONG" run study.yaml
    check_status "it runs ($name)" 0
    run "$THRONG" status --json
    check_equal "to its end, with a best trial ($name)" "${template#*:} True" \
        "$(json 'str(d["states"]["done"]) + " " + str(d["best"] is not None)')"
    cd ..
done

cd ensemble || exit 1
run "$THRONG" ensemble all --greedy 8 -o committee.ensemble
check_status "the networks of the template become one model" 0
run "$THRONG" evaluate committee.ensemble
check_matches "that is judged" "$out" '^accuracy	'
cd ..

mkdir campaign
cd campaign || exit 1
run "$THRONG" init --template campaign mine.yaml
check_status "init writes a campaign" 0
run "$THRONG" check mine.yaml
check_status "it has no mistake" 0
check_contains "its stages are in their order" "$out" \
    "ensemble           study ensemble.yaml, after prepare, search"
check_equal "and nothing is to be said of it" "" "$err"
run "$THRONG" run mine.yaml -q
check_status "it runs" 0
check "to its summary" test -s report.html
run "$THRONG" status mine/ensemble --json
check_equal "with every model of its ensemble" "60" \
    "$(json 'str(d["states"]["done"])')"
run "$THRONG" run mine.yaml
check_contains "a second run finds nothing to do" "$err" "nothing had changed"
cd ..

mkdir uq
cd uq || exit 1
run "$THRONG" init --template uq
check_status "init writes a campaign of uncertainty" 0
run "$THRONG" check study.yaml
check_status "it has no mistake (uq)" 0
check_equal "and nothing is to be said of it (uq)" "" "$err"
PATH=${PATH#"$THRONG_BUILD":} run "$THRONG" run study.yaml -q
check_status "it runs, also where no throng is on PATH (uq)" 0
check "to its picture" grep -q '<svg' uncertainty.svg
check_matches "and its calibration" "$(cat calibration.tsv)" \
    '^rank_correlation	0\.[1-9]'
check_equal "a row far from all others is told, and no other is" \
    "unlike 0 0 0 1" \
    "$(sed 's/.*,//' answers.csv | tr -d '\r' | xargs)"
cd ..

mkdir inference
cd inference || exit 1
run "$THRONG" init --template inference
check_status "init writes a campaign of inference" 0
run "$THRONG" check study.yaml
check_status "it has no mistake (inference)" 0
check_equal "and nothing is to be said of it (inference)" "" "$err"
run "$THRONG" run study.yaml -q
check_status "it runs (inference)" 0
check_equal "to a line for each row" 2001 "$(wc -l <answers.csv | tr -d ' ')"
check_matches "that says how undecided it is" "$(head -n 1 answers.csv)" \
    'file,row,predicted,p_colon.*,entropy,mutual_information'
run "$THRONG" run study.yaml
check_contains "a second run asks nothing" "$err" "nothing had changed"
echo 6,6,6,6,6,6,6,6,6,6 >>new-2.csv
run "$THRONG" run study.yaml
check_status "a file with one row more is asked again" 0
check_equal "and the table has it" 2002 "$(wc -l <answers.csv | tr -d ' ')"
cd ..

cd sweep || exit 1
cp study.yaml train.py ..
run "$THRONG" init
check_status "a file that is there is not overwritten" 1
check_contains "and is named" "$err" "study.yaml is there already"
check "it is as before" cmp study.yaml ../study.yaml
run "$THRONG" init other.yaml
check_status "nor is a program beside it" 1
check_contains "which is named" "$err" "train.py is there already"
check_not "and then nothing is written" test -e other.yaml
cd ..
rm study.yaml train.py
mkdir below
run "$THRONG" init below/mine.yaml
check_status "the file can be named" 0
check "its program stands beside it" test -e below/train.py
check_contains "its comments name it" "$(cat below/mine.yaml)" "throng run mine.yaml"
run "$THRONG" check below/mine.yaml --json
check_equal "its study gets that name" mine "$(json 'd["study"]')"
check "the program runs by hand" python3 below/train.py --lr=0.01
run "$THRONG" init --template shel
check_status "a template that is not there" 2
check_contains "is suggested" "$err" "did you mean \`shell\`?"
run "$THRONG" init nowhere/study.yaml
check_status "a folder that is not there" 4
check_contains "is named" "$err" "nowhere"
run "$THRONG" init a b
check_status "one file at a time" 2
