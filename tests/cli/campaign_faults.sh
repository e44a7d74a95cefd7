#!/usr/bin/env bash
# What can happen to a campaign from outside: stages that die or stand still,
# files that go, results of somebody else.
. "$(dirname "$0")/lib.sh"

cat >gate.yaml <<'EOF2'
method: grid
grid: {order: written}
parameters: {x: {min: 1, max: 4}}
command: sh -c 'echo {x} >>begun.log; until [ -e go ]; do sleep 0.1; done; throng report y={x}'
metric: {name: y}
grace: 1
EOF2
cat >c.yaml <<'EOF2'
parallel: 2
stages:
  gate: {study: gate.yaml}
  after: {command: "true", needs: gate}
EOF2
begun() {
    stage=$(cat "/proc/$conductor/task/$conductor/children")
    [ -n "$stage" ] && [ -s begun.log ]
}
begin() {
    rm -f begun.log
    "$THRONG" run c.yaml >c.out 2>c.err &
    conductor=$!
    wait_for 120 begun
}
finish_run() {
    wait "$conductor" 2>/dev/null
    status=$?
    err=$(cat c.err)
}

# ---- the conductor of a stage -------------------------------------------
begin
kill -9 $stage
finish_run
check_status "a stage whose conductor is killed has failed" 3
check_contains "and by what is said" "$err" \
    "gate has failed: its process was ended by signal 9"
begin
kill -STOP $stage
kill -INT "$conductor"
heard() { grep -q "running trials finish" c.err; }
wait_for 60 heard
kill -INT "$conductor"
(
    sleep 60
    kill -9 $stage
) &
guard=$!
finish_run
kill "$guard" 2>/dev/null
check_status "a stage that stands still does not hold up a second Ctrl-C" 130
check_contains "it can go on" "$err" "gate goes on with the next run"

# A stage whose campaign is gone, and that does not hear of it.
begin
kill -STOP $stage
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
run "$THRONG" rm -y c
check_status "a campaign of which a stage still runs is not removed" 5
check_contains "by its name" "$err" "the study c/gate runs"
run "$THRONG" kill c
check_contains "kill reaches it" "$err" "asked the study c/gate to end at once"
kill -CONT $stage
over() { ! kill -0 $stage; }
check "and it ends" wait_for 60 over

# ---- files that go --------------------------------------------------------
begin
rm -rf .throng
finish_run
check_status "a campaign whose folder is removed fails" 1
check_contains "as what was removed" "$err" ".throng/c"
check_matches "and its stage says where what it knew is saved" "$err" \
    'gate has failed: .*saved in .*gate\.db\.saved-[0-9]+'
begin
mv .throng away
finish_run
check_status "so does one that is moved" 1
check_contains "which is said" "$err" "$TMP/away/c"
mv away .throng
touch go
run "$THRONG" run c.yaml
check_status "moved back it goes on to its end" 0

# ---- a stage's study that goes, with rows that are selected no more --------
cat >search.yaml <<'EOF2'
method: grid
parameters: {lr: {values: [1, 2, 3]}}
command: throng report loss={lr}
metric: {name: loss}
EOF2
cat >ens.yaml <<'EOF2'
command: throng report loss={fold}{lr}
metric: {name: loss}
EOF2
cat >t.yaml <<'EOF2'
stages:
  search: {study: search.yaml}
  ens:
    study: ens.yaml
    parameters:
      template: {from: search, select: "best:2"}
      fold: {values: [1]}
EOF2
trials() { "$THRONG" export t/ens --jsonl | python3 -c 'import json, sys
print(*sorted(json.loads(l)["params"]["lr"] for l in sys.stdin))'; }
"$THRONG" run -q t.yaml
sed -i s/best:2/best:1/ t.yaml
"$THRONG" run -q t.yaml
rm -r .throng/t/ens
run "$THRONG" run t.yaml
check_contains "a study that is gone is made again" "$err" \
    "ens begins: its study is gone"
check_equal "without what is selected no more" 1 "$(trials)"
rm -r .throng/t/ens
sed -i s/best:1/best:3/ t.yaml
run "$THRONG" run -q t.yaml
check_status "also when more are selected at the same time" 0
check_equal "each once" "1 2 3" "$(trials)"
rm -r .throng/t/ens
sed -i s/best:3/best:2/ t.yaml
run "$THRONG" run -q t.yaml
check_status "or fewer" 0
check_equal "and no more than those" "1 2" "$(trials)"

# ---- asked to stop, and interrupted once ------------------------------------
rm -rf .throng/c go
begin
both() { [ "$(wc -l <begun.log)" -eq 2 ]; }
wait_for 120 both
run "$THRONG" stop c
check_status "a campaign is asked to stop" 0
kill -INT "$conductor"
touch go
finish_run
check_equal "who was asked to stop takes one Ctrl-C for the first: trials finish" 2 \
    "$("$THRONG" rank c/gate --json | grep -o '"state":"done"' | wc -l)"
run "$THRONG" rm -y c/gate
check_status "a stage's study can be removed" 0
rm -f go

# ---- files that a stage makes, where nobody sees its end ---------------------
cat >makes.yaml <<'EOF2'
method: grid
grid: {order: written}
parameters: {x: {min: 1, max: 4}}
command: sh make.sh {x} made-{x}.bin
metric: {name: y}
EOF2
cat >make.sh <<'EOF2'
echo half >"$2"
echo "$1" >>begun.log
until [ -e go ]; do sleep 0.1; done
echo whole >"$2"
throng report y=$1
EOF2
cp c.yaml gates.yaml
printf 'parallel: 2\nstages:\n  makes: {study: makes.yaml}\n' >c.yaml
begin
kill -9 "$conductor"
finish_run
touch go
ended() { [ ! -e "/proc/$stage" ]; }
wait_for 120 ended
run "$THRONG" run c.yaml
check_status "a campaign that was killed goes on" 0
check_contains "what its stage made is nothing that it reads" "$err" \
    "makes begins: it goes on where it was"
run "$THRONG" run c.yaml
check_contains "also when it was made whole" "$err" "makes is done: unchanged"
mv gates.yaml c.yaml
rm -f go

# ---- half of a file --------------------------------------------------------
# Killed while a stage writes, the campaign goes on: those behind it are not
# judged by what there is of it.
cp -r "$ROOT/examples/campaign" half
cd half || exit 1
mv prepare.sh whole.sh
cat >prepare.sh <<'EOF2'
[ -e whole ] && exec sh whole.sh "$1"
printf 'width,height' >leaves.csv
touch began
sleep 600
EOF2
"$THRONG" run leaves.yaml >c.out 2>c.err &
conductor=$!
wait_for 120 test -e began
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
touch whole
run "$THRONG" check leaves.yaml
check_status "half of a file that will be written again is no mistake" 0
run "$THRONG" run -q leaves.yaml
check_status "nor when the campaign goes on" 0
: >leaves.csv
run "$THRONG" check leaves.yaml
check_contains "one that its stage is done with is" "$err" \
    "leaves.csv: has no rows"
cd ..

# ---- results of somebody else ---------------------------------------------
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir -m 755 shared
    cp search.yaml shared
    cd shared || exit 1
    printf 'stages:\n  search: {study: search.yaml}\n' >theirs.yaml
    cp theirs.yaml ours.yaml
    "$THRONG" run -q theirs.yaml
    chown -R 12002 .throng/theirs
    chmod 1777 .throng
    run "$THRONG" run ours.yaml
    check_status "a campaign runs beside one of somebody else" 0
    check_not "and does not take its results" test -L .throng/ours/search
    cd ..
else
    skip "a campaign runs beside one of somebody else" "only root may be others"
fi
