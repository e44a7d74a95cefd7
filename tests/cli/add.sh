#!/usr/bin/env bash
# add: points of a person's own; rm: what is not wanted any more. Neither
# changes a point that the study makes by itself.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }

cat >study.yaml <<'END'
name: mine
command: [sh, -c, 'throng report loss={lr}; echo $THRONG_SEED']
method: random
run_cap: 8
seed: 5
keep: all
metric: {name: loss}
parameters:
  lr: {min: 0.001, max: 0.1}
  bs: {values: [16, 32, 64]}
  opt: {values: [sgd, adam]}
  momentum: {min: 0.0, max: 1.0, when: {opt: [sgd]}}
  layers: {min: 1, max: 8}
  data: {value: mnist}
END
run "$THRONG" run study.yaml --new whole
run "$THRONG" export --jsonl whole
cp .out whole.jsonl

# ---- points of later trials do not change ----------------------------------
run "$THRONG" run study.yaml --count 3
run "$THRONG" add 'lr=0.05,bs=32,opt=adam,layers=2'
check_status "a point can be added" 0
check_contains "it gets the next number" "$err" "number 4"
check_contains "and the command that runs it is said" "$err" \
    "\`throng run study.yaml\` goes on"
run "$THRONG" add mine '{"lr": 1e-2, "bs": 16, "opt": "sgd", "momentum": 1, "layers": 3}' \
    'lr=0.02,bs=64,opt=adam,layers=1'
check_contains "several can, also as JSON" "$err" "numbers 5 to 6"
run "$THRONG" run study.yaml --count 2
run "$THRONG" add --like 4 lr=0.001
check_status "a point like another one" 0
run "$THRONG" run study.yaml
check_contains "all are run" "$err" "12/12 done"
run "$THRONG" export --jsonl
check_equal "the study's own points are those of an uninterrupted run" True "$(json \
    '[t["params"] for t in d if t["id"] not in (4, 5, 6, 9)] == [
        __import__("json").loads(l)["params"] for l in open("whole.jsonl")]')"
check_equal "an added point has the types of the space" \
    "{'bs': 16, 'data': 'mnist', 'layers': 3, 'lr': 0.01, 'momentum': 1.0, 'opt': 'sgd'}" \
    "$(json 'd[4]["params"]')"
check_equal "one like another differs in what was given" \
    "{'bs': 32, 'data': 'mnist', 'layers': 2, 'lr': 0.001, 'opt': 'adam'}" \
    "$(json 'd[8]["params"]')"
seeds() { for i in "$@"; do cat .throng/"${study:-mine}"/trials/*/"$i"/log; done | paste -sd' '; }
check_equal "seeds stay with their points" "$(study=whole seeds 1 2 3 4 5 6 7 8)" \
    "$(seeds 1 2 3 7 8 10 11 12)"

# ---- mistakes --------------------------------------------------------------
while read -r point part; do
    run "$THRONG" add mine "$point"
    check_status "$point is refused" "${want:-1}"
    check_contains "with the reason ($point)" "$err" "$part"
done <<'END'
lrr=1 did you mean `lr`?
lr=1,bs=16,opt=adam,layers=1 lr: 1 is outside of uniform 0.001 to 0.1
lr=x,bs=16,opt=adam,layers=1 no number
lr=0.01,bs=17,opt=adam,layers=1 one of 16, 32, 64
lr=0.01,bs=16,opt=adam,layers=1.5 no whole number
lr=0.01,bs=16,opt=adam layers is missing
lr=0.01,bs=16,opt=adam,layers=1,momentum=0.5 only counts when opt is
lr=0.01,bs=16,opt=adam,layers=1,data=cifar always "mnist"
END
run "$THRONG" add mine lr=1,lr=2
check_status "a name given twice is a usage error" 2
run "$THRONG" add
check_status "so is no point at all" 2
run "$THRONG" add mine
check_status "or a study alone" 2
run "$THRONG" add nine lr=1
check_status "a study that is not there" 4
run "$THRONG" status mine --json
check_equal "nothing was added" 12 "$(json 'd["total"]')"
run "$THRONG" add --outside lr=1,bs=17,opt=adam,layers=1
check_status "--outside allows values that are not drawn" 0
run "$THRONG" add --like best:1 --times 3
check_contains "--times gives several" "$err" "3 new trials"

# ---- from a file, and to listed points -------------------------------------
printf 'lr,bs,opt,layers\n0.01,16,adam,1\n0.02,32,adam,2\n' >more.csv
run "$THRONG" add mine --file more.csv
check_contains "points come from a file" "$err" "2 new trials"
printf 'lr,bs,opt,layers\n0.01,16,adam,1\n0.02,33,adam,2\n' >bad.csv
run "$THRONG" add mine --file bad.csv
check_contains "a mistake there is named with its point" "$err" "bad.csv, point 2: bs"
cat >listed.yaml <<'END'
command: ["true"]
points: [{x: 1, y: 2}, {x: 3, y: 4}]
END
run "$THRONG" run listed.yaml
run "$THRONG" add listed x=5,y=6
check_status "listed points can be added to" 0
run "$THRONG" add listed x=5,z=6
check_contains "by the names that they have" "$err" "no point has a \`z\`"
run "$THRONG" run listed.yaml
run "$THRONG" export listed --jsonl
check_equal "and are run" "{'x': 5, 'y': 6} done" \
    "$(json 'str(d[2]["params"]) + " " + d[2]["state"]')"

# ---- rm --------------------------------------------------------------------
run "$THRONG" rm listed 2
check_status "rm asks, and nobody is there" 2
check_contains "so it says how" "$err" "-y"
run "$THRONG" rm listed 2-3 -y
check_status "with -y it removes trials" 0
run "$THRONG" export listed --jsonl
check_equal "which are gone" 1 "$(json 'd["id"]')"
check_not "with their folders" test -e .throng/listed/trials/0/2
run "$THRONG" add listed x=7,y=8
run "$THRONG" run listed.yaml
check_contains "the study goes on" "$err" "2/2 done"
run "$THRONG" export listed --jsonl
check_equal "a removed number is not given again" "1 4" \
    "$(json '" ".join(str(t["id"]) for t in d)')"
run "$THRONG" rm listed 2 -y
check_status "what is gone cannot be removed" 4
run "$THRONG" rm
check_status "rm never guesses" 2
run "$THRONG" rm listed
check_status "a whole study is asked for too" 2
run "$THRONG" rm -y listed
check_status "and removed" 0
check_not "from the disk" test -e .throng/listed
check "but not its file" test -e listed.yaml
run "$THRONG" rm -y listed.yaml
check_status "once" 4
cat >slow.yaml <<'END'
command: [sh, -c, 'touch began; until test -e end; do sleep 0.05; done']
points: [{x: 1}]
END
"$THRONG" run slow.yaml >/dev/null 2>&1 &
pid=$!
wait_for 20 test -e began
for what in slow 'slow 1'; do
    # shellcheck disable=SC2086
    run "$THRONG" rm -y $what
    check_status "a running study is not touched ($what)" 5
done
touch end
wait $pid
mkdir -p .throng/bad
echo rubbish >.throng/bad/study.db
run "$THRONG" rm -y bad
check_status "a damaged study can be removed" 0
check_not "too" test -e .throng/bad
