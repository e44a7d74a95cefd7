#!/usr/bin/env bash
# status, rank, show, logs and export of a finished study: selectors, filters,
# orders, formats.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }

# 12 trials: loss = lr * 100 + width, acc = 1 - lr; width 3 fails.
cat >train.sh <<'END'
echo "trial $THRONG_TRIAL says lr=$THRONG_P_lr"
throng report step=1 loss=1000 acc=0
loss=$(awk "BEGIN { print $THRONG_P_lr * 100 + $THRONG_P_width }")
throng report step=2 loss="$loss" acc="$(awk "BEGIN { print 1 - $THRONG_P_lr }")"
[ "$THRONG_P_width" != 3 ] || { echo "width 3 is too narrow" >&2; exit 7; }
END
cat >study.yaml <<'END'
name: mine
command: [sh, train.sh]
method: grid
grid: {order: written}
metric: {name: loss, goal: minimize}
keep: all
parameters:
  lr: {values: [0.01, 0.02, 0.04]}
  opt: {value: sgd}
  width: {values: [1, 2, 3, 4]}
END
run "$THRONG" run study.yaml
check_status "a study with failed trials ends with 3" 3
check_equal "what is on standard output is the ranking" 9 \
    "$(grep -cE '^[0-9]+	[0-9]+	' .out)"
check_equal "all talk is on standard error" "rank" \
    "$(cut -f 1 .out | grep -v '^[0-9]*$')"
check_matches "the last line says how it went" "$err" \
    '^throng: 12/12 done in .*3 failed  best 2 \(trial 1\)$'

# ---- how a study is named --------------------------------------------------
mkdir below
for name in mine study.yaml ./study.yaml .throng/mine "$PWD/.throng/mine" \
    below/../study.yaml; do
    run "$THRONG" status "$name" --json
    check_equal "the study can be named $name" mine "$(json 'd["study"]')"
done
run "$THRONG" status minne
check_contains "a misspelt study is suggested" "$err" "did you mean \`mine\`?"
echo "name: [" >broken.yaml
run "$THRONG" status broken.yaml
check_status "a study that was never run" 4

# ---- status ----------------------------------------------------------------
run "$THRONG" status
check_status "status needs no name" 0
check_matches "and counts the trials" "$out" '^trials +12 of 12 finished$'
check_matches "by state" "$out" '^  failed +3$'
check_matches "and names the best one" "$out" '^best +loss = 2\.0 \(trial 1\)$'
run "$THRONG" status --json
check_equal "status --json has its schema" throng.status/1 "$(json 'd["schema"]')"
check_equal "and counts" "12 12 12 9 3 False" \
    "$(json '"%d %d %d %d %d %s" % (d["total"], d["trials"], d["finished"],
        d["states"]["done"], d["states"]["failed"], d["running"])')"
check_equal "and the best trial" "1 2.0 {'lr': 0.01, 'opt': 'sgd', 'width': 1}" \
    "$(json '"%d %s %s" % (d["best"]["id"], d["best"]["value"],
        d["best"]["params"])')"

# ---- rank ------------------------------------------------------------------
ids() { json '" ".join(str(t["id"]) for t in d["trials"])'; }

run "$THRONG" rank
check_status "rank lists" 0
check_equal "with a header, tab separated" \
    "$(printf 'rank\ttrial\tloss\tlr\topt\twidth\tstate\tseconds')" \
    "$(head -n 1 <<<"$out")"
check_equal "and a row for each that has a value" 10 "$(wc -l <<<"$out")"
check_matches "best first" "$out" "^1$(printf '\t')1$(printf '\t')2"
run "$THRONG" rank -n 3 --json
check_equal "rank --json has its schema" throng.rank/1 "$(json 'd["schema"]')"
check_equal "says what it ranks by" "loss minimize" \
    "$(json 'd["by"] + " " + d["goal"]')"
check_equal "and gives the rows asked for" "1 2 5" "$(ids)"
check_equal "each with its fields" True "$(json \
    'all(set(t) == {"rank", "id", "state", "value", "params", "seconds"}
         for t in d["trials"])')"
run "$THRONG" rank -n 2 --reverse --json
check_equal "--reverse gives the worst first" "12 8" "$(ids)"
run "$THRONG" rank -n 0 --json
check_equal "-n 0 gives all with a value" 9 "$(json 'len(d["trials"])')"
check_equal "and the table has the same rows in full" "$(json \
    '"\n".join("%d %d %r %r" % (t["rank"], t["id"], t["value"],
        t["params"]["lr"]) for t in d["trials"])')" \
    "$("$THRONG" rank -n 0 | awk 'NR > 1 { print $1, $2, $3, $4 }')"
check_equal "with times to four places" "" "$("$THRONG" rank -n 0 |
    awk 'NR > 1 { print $2, $8 }' | python3 -c '
import json, sys
exact = {t["id"]: t["seconds"] for t in json.load(open(".out"))["trials"]}
for line in sys.stdin:
    id, shown = line.split()
    if abs(float(shown) - exact[int(id)]) > 0.000051:
        print(line, exact[int(id)])')"
run "$THRONG" rank --by acc -n 1 --json
check_equal "--by takes a metric, whose name says that it grows" "0.99 maximize" \
    "$(json '"%g %s" % (d["trials"][0]["value"], d["goal"])')"
run "$THRONG" rank --by acc --reverse -n 1 --json
check_equal "and backwards" 0.96 "$(json 'd["trials"][0]["value"]')"
run "$THRONG" rank --by width -n 1 --json
check_equal "a parameter" 1 "$(json 'd["trials"][0]["params"]["width"]')"
titles() { head -n 1 <<<"$out" | tr '\t' ' '; }
run "$THRONG" rank --by width
check_equal "which has one column then, and the metric stays" \
    "rank trial width loss lr opt state seconds" "$(titles)"
run "$THRONG" rank --by opt -n 1
check_matches "also one that is text" "$out" "^1$(printf '\t')1$(printf '\t')sgd"
run "$THRONG" rank --by seconds
check_equal "as has the time" "rank trial seconds loss lr opt width state" "$(titles)"
run "$THRONG" rank --by trial
check_equal "and the number" "rank trial loss lr opt width state seconds" "$(titles)"
run "$THRONG" rank --by loss.max -n 1
check_matches "a metric's greatest value is shown" "$out" \
    "^1$(printf '\t')[0-9]+$(printf '\t')1000"
run "$THRONG" rank --by trial -n 2 --reverse --json
check_equal "a column" "12 11" "$(ids)"
run "$THRONG" rank --by acccc
check_status "but no name that no trial has" 1
check_contains "and suggests one" "$err" "did you mean \`acc\`?"
run "$THRONG" rank --where 'lr>1e-2 and width<=2' --json
check_equal "--where filters" "5 6 9 10" "$(ids)"
run "$THRONG" rank --where 'state = done and (width in (1, 4)) and opt == sgd' \
    --json
check_equal "with states, lists and texts" "1 4 5 8 9 12" \
    "$(ids | tr ' ' '\n' | sort -n | paste -sd' ')"
run "$THRONG" rank --where 'lr >'
check_status "half a filter is an error" 1
check_contains "that says what is missing" "$err" "expected"
for verb in "rank" "rank --over lr" "export --jsonl"; do
    # shellcheck disable=SC2086
    run "$THRONG" $verb --where 'lrr>1'
    check_status "$verb --where takes no name that no trial has" 1
    check_contains "and suggests one" "$err" "did you mean \`lr\`?"
done
run "$THRONG" rank --where 'loss.min<3 and `opt`==sgd and state==done' --json
check_equal "but a metric's least value, quoted names and columns" "1" "$(ids)"
run "$THRONG" rank --over lr --json
check_equal "--over has a schema of its own" throng.rank-over/1 \
    "$(json 'd["schema"]')"
check_equal "it averages over a parameter" "1 3 3.333" \
    "$(json '"%d %d %.3f" % (d["groups"][0]["params"]["width"],
        d["groups"][0]["count"], d["groups"][0]["mean"])')"
check_equal "with minimum, maximum and the best trial" "2.0 5.0 1" \
    "$(json '"%s %s %s" % (d["groups"][0]["min"], d["groups"][0]["max"],
        d["groups"][0]["best"])')"
run "$THRONG" rank --over lr -n 1
check_matches "--over prints a table" "$out" "^1$(printf '\t')3.33333333"
run "$THRONG" rank --over lr --by acc
check_status "--over goes with the study's metric only" 2
run "$THRONG" rank mine extra
check_status "rank takes one study" 2

# ---- selectors -------------------------------------------------------------
shown() {
    run "$THRONG" show "$1" --json
    json '" ".join(str(t["trial"]["id"]) for t in d["trials"])'
}
check_equal "a number" 7 "$(shown 7)"
check_equal "a range and a number" "2 3 4 11" "$(shown 2-4,11)"
check_equal "a state" "3 7 11" "$(shown failed)"
check_equal "the best" "1 2 5" "$(shown best:3 | tr ' ' '\n' | sort -n | paste -sd' ')"
check_equal "the worst" "12" "$(shown worst:1)"
check_equal "the last" 12 "$(shown last)"
check_equal "the last few" "11 12" "$(shown last:2)"
check_equal "all" "$(seq -s ' ' 12)" "$(shown all)"
check_equal "pieces that overlap name a trial once" "3 4 7 11" "$(shown failed,3-4)"
for selector in 13 stopped tag:x 100-200; do
    run "$THRONG" show "$selector"
    check_status "no trial is $selector" 4
    check_contains "and it is named" "$err" "$selector"
done
for selector in 3-1 best:0 , best:x faild; do
    run "$THRONG" show "$selector"
    check_status "\`$selector\` is no selector" 2
    run "$THRONG" show mine "$selector"
    check_status "nor behind a study's name" 2
done
run "$THRONG" show mine 7 8
check_status "one selector is enough" 2

# ---- show ------------------------------------------------------------------
run "$THRONG" show 3
check_matches "show says how a trial ended" "$out" '^trial +3 +failed: '
check_matches "what it was given" "$out" '^  width +3$'
check_matches "what it reported" "$out" '^  loss +4 +4 +1000 +2$'
check_matches "and its last lines" "$out" 'width 3 is too narrow'
check_matches "and where its files are" "$out" "^files +$PWD/.throng/mine"
run "$THRONG" show 3 --json
check_equal "show --json has its schema" throng.show/1 "$(json 'd["schema"]')"
check_equal "the trial" "3 failed None 1" "$(json \
    '"%d %s %s %d" % tuple(d["trials"][0]["trial"][k] for k in
        ("id", "state", "value", "attempts"))')"
check_equal "its attempts" "1 failed 7 0" "$(json \
    '"%d %s %d %d" % tuple(d["trials"][0]["attempts"][0][k] for k in
        ("number", "outcome", "exit_code", "signal"))')"
check_contains "and their last lines" \
    "$(json 'd["trials"][0]["attempts"][0]["tail"]')" "too narrow"

# ---- logs ------------------------------------------------------------------
run "$THRONG" logs 2
check_equal "logs prints what a trial said" "trial 2 says lr=0.01" "$out"
run "$THRONG" logs
check_contains "of the last one when none is named" "$out" "trial 12 says"
run "$THRONG" logs 1-2
check_equal "of several with titles" "==> trial 1 <==
trial 1 says lr=0.01
==> trial 2 <==
trial 2 says lr=0.01" "$out"
run "$THRONG" logs 3
check_contains "standard error is there too" "$out" "width 3 is too narrow"
run "$THRONG" logs -f 2
check_equal "-f of a finished trial prints and ends" "trial 2 says lr=0.01" "$out"
run "$THRONG" logs all
check_equal "logs all has every trial" 12 "$(grep -c '^==> trial' <<<"$out")"
run "$THRONG" logs -f all
check_equal "and so has -f" 12 "$(grep -c '^==> trial' <<<"$out")"
run "$THRONG" logs 99
check_status "a trial that is not there has no log" 4

# ---- export ----------------------------------------------------------------
run "$THRONG" export --jsonl
check_equal "export --jsonl gives a line per trial" 12 "$(json 'len(d)')"
check_equal "with these fields" \
    "attempts created ended id metrics params reason seconds started state value" \
    "$(json '" ".join(sorted(d[0]))')"
check_equal "the last and the best of each metric" \
    "{'last': 0.99, 'best': 0.99} {'last': 2.0, 'best': 2.0}" \
    "$(json 'str(d[0]["metrics"]["acc"]) + " " + str(d[0]["metrics"]["loss"])')"
run "$THRONG" export --jsonl mine 3,4 --where 'state=failed'
check_equal "of chosen trials" 3 "$(json 'd["id"]')"
run "$THRONG" export --csv 99
check_status "export of a trial that is not there" 4
check_equal "prints nothing as data" "" "$out"
check_contains "and says so" "$err" "no trial is \`99\`"
run "$THRONG" export --jsonl --where 'loss<-1'
check_status "a filter may leave none" 0
run "$THRONG" export --csv
check_equal "export --csv has a header" "id,state,value,lr,opt,width,\
acc.last,acc.best,loss.last,loss.best,attempts,seconds,started,ended,reason,\
created,run_id,parent,budget,note,tags,commit" \
    "$(head -n 1 <<<"$out")"
check_equal "and a line per trial" 13 "$(wc -l <<<"$out")"
check_matches "with all values" "$out" '^1,done,2\.0,0\.01,sgd,1,0\.99,0\.99,2\.0,2\.0,1,'
check_equal "the same for python's csv reader" "12 22" "$(python3 - <<'END'
import csv
rows = list(csv.reader(open(".out")))
print(len(rows) - 1, *sorted({len(r) for r in rows}))
END
)"
