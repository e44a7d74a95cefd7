#!/usr/bin/env bash
# campaign.sh - campaigns: stages in their order, what changed and what did not
. "$(dirname "$0")/lib.sh"

cat > prepare.sh <<'EOF'
#!/bin/sh
echo ran >> prepared.log
sort -n "$1" > table.csv
EOF
cat > try.sh <<'EOF'
#!/bin/sh
echo "$1 $2" >> tried.log
awk -v x="$1" -v f="$2" 'BEGIN{print "::throng loss=" (x-0.3)^2+f}'
EOF
chmod +x prepare.sh try.sh
printf '3\n1\n2\n' > raw.csv
cat > search.yaml <<'EOF'
method: random
run_cap: 8
seed: 3
metric: {name: loss, goal: minimize}
parameters: {lr: {min: 0.0, max: 1.0}}
inputs: [table.csv]
command: ./try.sh {lr} 0
EOF
cat > ensemble.yaml <<'EOF'
metric: {name: loss, goal: minimize}
command: ./try.sh {lr} {fold}
EOF
cat > response.yaml <<'EOF'
stages:
  report: {command: "echo lr ${search.best.lr} > report.txt", outputs: [report.txt], needs: ensemble}
  ensemble:
    study: ensemble.yaml
    parameters:
      template: {from: search, select: "best:2"}
      fold: {values: [1, 2, 3]}
  search: {study: search.yaml}
  prepare: {command: ./prepare.sh raw.csv, outputs: [table.csv]}
  aside: {command: echo aside}
EOF
tried() { wc -l < tried.log; }

# ---- a whole one ---------------------------------------------------------
run throng run response.yaml
check_status "a campaign runs to its end" 0
check_contains "it says that it is complete" "$err" "the campaign response is complete"
check_equal "each trial ran once" 14 "$(tried)"
check_equal "a stage comes after what it needs" "prepare search ensemble report" \
    "$(sed -n 's/^throng: \([a-z]*\) begins.*/\1/p' <<< "$err" | grep -v aside | tr '\n' ' ' | sed 's/ $//')"
check_contains "a value of the best trial stands in a command" "$(cat report.txt)" "lr 0."
run throng rank response/ensemble
check_contains "a template's parameters are the trial's own" "$out" "lr"
check_equal "each template with each of the rest" 7 "$(wc -l <<< "$out")"
best=$(throng rank response/search | awk 'NR==2 {print $2}')
check_matches "template is the number of the trial that it came from" \
    "$(throng export response/ensemble --format csv 2> /dev/null || throng rank response/ensemble)" "$best"
for verb in status show errors; do
    run throng $verb response/search
    check_status "$verb takes a stage by its name" 0
done
run throng logs response/search 1
check_status "logs takes a stage by its name" 0
run throng status response
check_matches "status shows the stages" "$out" 'ensemble +done +6/6'
run throng status response --json
check "status --json is JSON" python3 -c 'import json,sys
d=json.load(sys.stdin); assert d["schema"]=="throng.campaign/1", d
s={x["stage"]:x for x in d["stages"]}
assert s["ensemble"]["needs"]==["search"] and s["search"]["finished"]==8 and s["report"]["state"]=="done", s' <<< "$out"
run throng ls
check_contains "ls shows the campaign" "$out" "5/5 stages"
check_contains "ls shows its stages below it" "$out" "  response/search"

# ---- nothing changed -----------------------------------------------------
run throng run response.yaml
check_contains "a second run does nothing" "$err" "nothing had changed"
check_equal "no trial ran again" 14 "$(tried)"
run throng run response.yaml --engine nowhere
check_status "an engine on the command line that nobody knows is refused" 2
run throng run response.yaml --profile nowhere
check_contains "a profile counts for every study of it" "$err" \
    "search.yaml:1:1: error: there is no profile 'nowhere'"
run throng run --dry-run response.yaml
check_equal "a dry run says so of each stage" 5 "$(grep -c 'done, unchanged' <<< "$out")"

# ---- an output that is gone ----------------------------------------------
rm report.txt
run throng run response.yaml
check_contains "its producer runs again" "$err" "report begins: report.txt is gone"
check_equal "and nothing else" 1 "$(grep -c begins <<< "$err")"
rm table.csv
run throng run response.yaml
check_contains "one that others read, too" "$err" "prepare begins: table.csv is gone"
check_equal "who reads the same as before does not" 1 "$(grep -c begins <<< "$err")"

rm -r .throng/response/aside
run throng run response.yaml
check_contains "a study that was removed is made again" "$err" "aside begins: its study is gone"
check_equal "it alone" 1 "$(grep -c begins <<< "$err")"

# ---- a command that changed ----------------------------------------------
sed -i 's/echo lr/echo LR/' response.yaml
run throng run -n response.yaml
check_matches "a dry run shows the difference" "$out" 'command: was "echo lr .*", now "echo LR '
run throng run response.yaml
check_matches "the run says it" "$err" 'report begins: command: was .*now "echo LR'
check_equal "nothing else runs" 1 "$(grep -c begins <<< "$err")"
check_contains "the new one ran" "$(cat report.txt)" LR

# ---- a selection that changed ----------------------------------------------
sed -i 's/best:2/best:3/' response.yaml
run throng run response.yaml
check_contains "one more template is said" "$err" "is selected now"
check_equal "trials of those that stay are kept" 17 "$(tried)"
sed -i 's/best:3/best:1/' response.yaml
run throng run response.yaml
check_contains "fewer are said" "$err" "is selected no more"
check_equal "nothing runs for it" 17 "$(tried)"
check_equal "trials of those that went are not in the table" 3 \
    "$(throng rank response/ensemble | tail -n +2 | wc -l)"
run throng run response.yaml
check_contains "then nothing is left to do" "$err" "nothing had changed"

# ---- more results, other data ---------------------------------------------
sed -i 's/run_cap: 8/run_cap: 12/' search.yaml
run throng run response.yaml
check_contains "a longer search goes on" "$err" "search begins: run_cap: was 8, now 12"
check "only its new trials ran, and those of a new template" test "$(tried)" -ge 21 -a "$(tried)" -le 24
before=$(tried)
echo 4 >> raw.csv
run throng run response.yaml
check_contains "changed data is said" "$err" "raw.csv has changed"
check_contains "and what was made of it" "$err" "table.csv has changed"
check_equal "what reads it begins anew, what finds the same does not" 12 $(($(tried) - before))

# Data is named from where the model file lies.
mkdir deep deep/nets
printf 'layers: [{dense: 1}]\nloss: mse\nepochs: 1\nseed: ${s}\ndata: {file: ../rows.csv}\n' >deep/nets/model.yaml
printf 'model: nets/model.yaml\nmethod: grid\nmetric: {name: loss}\nparameters: {s: {values: [1]}}\n' >deep/s.yaml
printf 'stages:\n  train: {study: s.yaml}\n  make: {command: cp raw.csv rows.csv, outputs: [rows.csv]}\n' >deep/c.yaml
printf 'x,y\n1,2\n2,3\n3,4\n' >deep/raw.csv
run env -C deep "$THRONG" run c.yaml
check_status "a stage whose model file names an output waits for it" 0
echo 5,6 >>deep/raw.csv
run env -C deep "$THRONG" run c.yaml
check_contains "and begins anew when that has changed" "$err" "train begins: rows.csv has changed"

# ---- two campaigns with one search ------------------------------------------
cat > other.yaml <<'EOF'
stages:
  prepare: {command: ./prepare.sh raw.csv, outputs: [table.csv]}
  find: {study: search.yaml}
  say: {command: "echo ${find.best.trial}"}
EOF
before=$(tried)
run throng run other.yaml
check_status "another campaign runs" 0
check_contains "a search of the same content is shared" "$err" "find asks what response/search has asked"
check_equal "and runs once" "$before" "$(tried)"
check_equal "verbs take it by either name" "$(throng rank response/search)" "$(throng rank other/find)"
mkdir own && (
    cd own
    printf 'command: [sh, -c, "throng report loss={x}"]\nmetric: {name: loss}\nmethod: random\nseed: 1\nrun_cap: 3\nparameters: {x: {min: 0.0, max: 1.0}}\n' >s.yaml
    sed 's/run_cap: 3/run_cap: 5/' s.yaml >longer.yaml
    printf 'stages:\n  s: {study: s.yaml}\n' >a.yaml
    cp a.yaml b.yaml
    throng run a.yaml -q && throng run b.yaml -q && test -L .throng/b/s || exit 1
    sed -i s/s.yaml/longer.yaml/ b.yaml
    throng run b.yaml -q && throng status a/s --json && throng status b/s --json
    rm -r .throng/a/s
    printf 'stages:\n  s: {study: s.yaml}\n' >c.yaml
    throng run c.yaml -q && throng status c/s --json
) >.out 2>.err
check_status "what is shared may be asked for more" 0
check_equal "who asks for more has a study of its own" "3 5 3" \
    "$(python3 -c 'import json, sys
d = json.JSONDecoder(); t = sys.stdin.read().strip(); n = []
while t:
    v, i = d.raw_decode(t); n.append(str(v["states"]["done"] if "states" in v else v)); t = t[i:].lstrip()
print(" ".join(n))' <.out)"
mkdir lost && (
    cd lost
    printf 'stages:\n  p: {command: "echo hi > out.txt", outputs: [out.txt]}\n' >a.yaml
    cp a.yaml b.yaml
    throng run a.yaml -q && rm out.txt && throng run b.yaml -q && cat out.txt
) >.out 2>.err
check_equal "what another has done is done again when its output is gone" hi "$(cat .out)"
sed -i 's/seed: 3/seed: 4/' search.yaml
run throng run response.yaml
check_contains "who owns it may begin it anew" "$err" "seed: was 3, now 4"
run throng run other.yaml
check_status "the other one goes with it, or its own way" 0

# Also while the other one runs it: this one waits.
cat > waiting.sh <<'EOF'
echo "$1" >> shared.log
until [ -e shared-go ]; do sleep 0.05; done
throng report loss="$1"
EOF
cat > shared.yaml <<'EOF'
method: grid
metric: {name: loss, goal: minimize}
parameters: {x: {values: [1, 2, 3]}}
command: sh waiting.sh {x}
EOF
for name in one two; do
    printf 'stages:\n  find: {study: shared.yaml}\n' > $name.yaml
done
shared_began() { [ -s shared.log ]; }
two_waits() { grep -q "find is run by process" two.log; }
throng run -q one.yaml &
one=$!
wait_for 60 shared_began
throng run two.yaml 2> two.log &
two=$!
check "a stage that another campaign runs now is waited for" wait_for 60 two_waits
touch shared-go
wait $one
check_equal "who runs it ends well" 0 $?
wait $two
check_equal "and who waits for it, too" 0 $?
check_equal "each trial ran once" 3 "$(wc -l < shared.log)"

# ---- failures ---------------------------------------------------------------
cat > fail.yaml <<'EOF'
stages:
  bad: {command: "echo what is wrong >&2; exit 3"}
  after: {command: echo never > after.txt, needs: bad}
  forgets: {command: "true", outputs: [nothing.txt]}
  search: {study: search.yaml, run_cap: 3}
  none: {study: ensemble.yaml, parameters: {template: {from: search, select: "tag:x"}, fold: {values: [1]}}}
  unlikely: {command: "true", when: "search.best.loss>100 and search.best.lr>0"}
  behind: {command: "true", needs: unlikely}
  likely: {command: "true", when: "search.best.loss<100"}
  each: {command: "true"}
EOF
run throng run fail.yaml
check_contains "a name that means something else is refused" "$err" "fail.yaml:10:3: error: a stage cannot be named 'each'"
sed -i '/^  each:/d' fail.yaml
echo '  copy: {command: "echo ${each.n} > copy-${each.n}.txt", each: [{n: 1}, {n: 2}]}' >> fail.yaml
run throng run fail.yaml
check_status "a campaign with failed stages says so" 3
check_contains "why, in words" "$err" "bad has failed: 1 of 1 trials failed; trial 1: exit code 3: what is wrong"
check_contains "what depends on it is not run" "$err" "after is not run: bad has failed"
check_not "indeed" test -e after.txt
check_contains "an output that was not written" "$err" "forgets has failed: it did not write nothing.txt"
check_contains "a selection of nothing" "$err" "none has failed: 'tag:x' selects no trial of search"
check_contains "a condition that does not hold" "$err" "unlikely is skipped: not search.best.loss>100"
check_contains "nor what needs it" "$err" "behind is skipped"
check_contains "one that holds" "$err" "likely is done"
check_equal "the same stage over a list" "1 2" "$(echo $(cat copy-1.txt copy-2.txt))"
sed -i 's/exit 3/exit 0/; s/"true", outputs/"echo > nothing.txt", outputs/' fail.yaml
sed -i '/^  none:/d' fail.yaml
run throng run fail.yaml
check_status "mended, it goes on" 0
check "with what could not run" test -e after.txt

# A file that its command names, and that was not there.
cat > comes.yaml <<'EOF'
stages:
  needs: {command: "cat late.txt > copy.txt", outputs: [copy.txt]}
  likes: {command: "cat extra.txt > liked.txt || echo none > liked.txt", outputs: [liked.txt]}
EOF
run throng run -q comes.yaml
check_status "what lacks a file fails" 3
sleep 0.1 # clocks of files are coarse: it is none of that run's
echo here > late.txt
run throng run comes.yaml
check_status "when it has come the stage is tried again" 0
check_contains "for that" "$err" "needs begins: late.txt is read now"
check_equal "with it" here "$(cat copy.txt)"
check_equal "who can do without has done so" none "$(cat liked.txt)"
echo here > extra.txt
run throng run comes.yaml
check_contains "until it has come" "$err" "likes begins: extra.txt is read now"
check_equal "then it does it with it" here "$(cat liked.txt)"
# On a shared disk what a stage itself has written may be seen late.
cat > late.yaml <<'EOF'
stages:
  writes: {command: "sh -c 'echo ran >> ran.log; sleep 0.1; echo model > unseen/saved.txt' --save seen/saved.txt --with seen/given.txt"}
EOF
mkdir unseen
run throng run -q late.yaml
mv unseen seen
run throng run late.yaml
check_contains "a file of the time of a run is that run's" "$err" "writes is done: unchanged"
check_equal "and no reason for another one" ran "$(cat ran.log)"
# What a person puts there afterwards is not, whatever its time.
sleep 0.1
cp -p seen/saved.txt seen/given.txt
run throng run late.yaml --dry-run
check_contains "one that was put there afterwards is read" "$out" "seen/given.txt is read now"
# What is there, and is only now said to be read, has not come.
echo helper > helper.txt
cat > named.yaml <<'EOF'
stages:
  named: {command: "echo ran >> named.log"}
EOF
run throng run -q named.yaml
sed -i 's/}$/, inputs: [helper.txt]}/' named.yaml
run throng run named.yaml
check_contains "an input that is named later is read" "$err" "named begins: helper.txt is read now"
check_equal "and does not set aside what is there" ran "$(cat named.log)"
rm late.txt
run throng run comes.yaml
check_status "what has gone is not missed" 0
check_equal "where it was used" here "$(cat copy.txt)"

# Of what failed some is mended by a larger limit, and the rest is tried again.
cat > grows.yaml <<'EOF'
stages:
  grows: {study: grow.yaml, run_cap: 1}
EOF
cat > grow.yaml <<'EOF'
method: grid
grid: {order: written}
parameters: {x: {values: [1, 2]}}
command: ["sh", "-c", "[ $(ls [o]pen* | wc -l) -gt 0 ]"]
EOF
run throng run -q grows.yaml
check_status "a stage of which all fails has failed" 3
touch opens
sed -i 's/run_cap: 1/run_cap: 2/' grows.yaml
run throng run -q grows.yaml
check_status "a longer one tries again what had failed" 0
check_equal "all of it" "$(printf 'done\ndone')" "$(throng export grows/grows --csv | awk -F, 'NR > 1 { print $2 }')"

# What the last run could not begin is no more than open while this one is at
# what was in the way.
cat > again.yaml <<'EOF'
stages:
  first: {command: "test -e may || exit 3; touch began; until [ -e on ]; do sleep 0.05; done"}
  other: {command: "true", when: "skips.best.loss>100"}
  then: {command: "true", needs: first}
  last: {command: "true", needs: [then, other]}
  aside: {command: "true", needs: other}
  skips: {study: search.yaml, run_cap: 3}
EOF
stands() { # how each stage does, and why, less how far it is
    throng status again --json | python3 -c '
import json, sys
for s in json.load(sys.stdin)["stages"]:
    if s["stage"] not in ("other", "skips"):
        print(s["stage"], s["state"], s["why"] if s["state"] != "running" else "")'
}
run throng run again.yaml
check_equal "what a failed stage is in the way of is blocked" "first failed 1 of 1 trials failed; trial 1: exit code 3
then blocked first has failed
last blocked then has failed
aside skipped other was skipped" "$(stands)"
touch may
nothing=
throng run -q again.yaml &
conductor=$!
check "it is tried again" wait_for 60 test -e began
check_equal "and in the way of nothing meanwhile" "first running $nothing
then waiting $nothing
last waiting $nothing
aside skipped other was skipped" "$(stands)"
kill -9 $conductor
wait $conductor 2> /dev/null
is_broken_off() { throng status again | grep -q 'first *interrupted'; }
check "when it is broken off" wait_for 60 is_broken_off
check_equal "nothing has failed" "first interrupted $nothing
then waiting $nothing
last waiting $nothing
aside skipped other was skipped" "$(stands)"
touch on
run throng run -q again.yaml
check_status "it is gone on with" 0

# What failed and then could not begin, since something else had, is tried again.
cat > both.yaml <<'EOF'
stages:
  before: {command: "test ! -e broken", inputs: [version]}
  behind: {command: "test -e mended", needs: before}
EOF
run throng run -q both.yaml
check_status "one fails" 3
echo 2 > version
touch broken
run throng run both.yaml
check_contains "what it needs fails, too" "$err" "behind is not run: before has failed"
rm broken
mkdir mended
run throng run both.yaml
check_contains "what had failed before that is tried again" "$err" "behind begins: it failed, and is tried again"
check_status "and is done" 0

# ---- some failed ---------------------------------------------------------------
cat > some.yaml <<'EOF'
stages:
  some:
    command: "echo $(cat mask_{mask}) >> masked.log; test -e mask_{mask} || exit 1; echo ::throng loss={mask}"
    study: some-study.yaml
  after: {command: "echo after >> masked.log", needs: some}
EOF
cat > some-study.yaml <<'EOF'
metric: {name: loss}
parameters: {mask: {values: [1, 2, 3]}}
EOF
for mask in 1 2; do echo "read $mask" > mask_$mask; done
throng run some.yaml 2> /dev/null
sleep 0.1
echo "read 3" > mask_3
sed -i '/^read [12]/d' masked.log
run throng run some.yaml
check_contains "a file that was missing is seen" "$err" "some begins: mask_3 is read now"
check_contains "who failed for want of it is tried again" "$(cat masked.log)" "read 3"
check_not "and nobody else" grep -q 'read [12]' masked.log
throng add some/some mask=2 > /dev/null 2>&1
run throng run some.yaml --dry-run
check_contains "what a person adds makes a stage go on" "$out" "1 of its trials waits"
run throng run some.yaml
check_contains "which says so" "$err" "some begins: 1 of its trials waits"
check_equal "and runs it" 1 "$(grep -c 'read 2' masked.log)"
run throng run some.yaml
check_contains "then nothing is left" "$err" "nothing had changed"

# Trials that a reached target leaves are nobody's wish.
cat >> some-study.yaml <<'EOF'
repeat: 3
EOF
sed -i 's/metric: {name: loss}/metric: {name: loss, target: 5}/' some-study.yaml
throng run some.yaml 2> /dev/null
throng add some/some mask=1 mask=2 > /dev/null 2>&1
throng run some.yaml 2> /dev/null
run throng run some.yaml
check_contains "a target that is reached ends a stage" "$err" "some is done: unchanged"

# ---- asked to end ------------------------------------------------------------
# Behind the fifth every trial waits until there is a file `go`.
cat > gate.sh <<'EOF'
if [ "$1" -gt 5 ]; then
    echo "$1" >> waits.log
    until [ -e go ]; do sleep 0.05; done
fi
echo "$1" >> slow.log
EOF
cat > slow.yaml <<'EOF'
method: grid
grid: {order: written}
parameters: {x: {min: 1, max: 20}}
command: sh gate.sh {x}
EOF
cat > long.yaml <<'EOF'
parallel: 2
stages:
  slow: {study: slow.yaml}
  after: {command: "true", needs: slow}
EOF
waits() { [ -s waits.log ]; }
not_running() { throng status long --json | grep -q '"running":false'; }
run throng run --detach long.yaml
check_status "a campaign runs in the background" 0
check "its stage begins" wait_for 60 waits
run throng run -q long.yaml
check_status "a second one is refused while it runs" 5
run throng rank long
check_contains "what has no trials of its own says whose they are" "$err" "long is a campaign: name one of its stages, long/slow, long/after"
run throng kill long
check_status "kill asks it to end at once" 0
check "and it does" wait_for 60 not_running
check_matches "its stage can go on" "$(throng status long)" 'slow +interrupted 5/20'
rm waits.log
throng run -q long.yaml &
conductor=$!
check "it goes on" wait_for 60 waits
kill -INT $conductor
sleep 0.2
kill -INT $conductor
wait $conductor
check_equal "Ctrl-C twice ends it" 130 $?
rm waits.log
throng run -q long.yaml &
conductor=$!
wait_for 60 waits
kill -9 $conductor
wait $conductor 2> /dev/null
touch go
run throng run long.yaml
check_status "killed, it goes on to its end" 0
check_contains "inside of the stage" "$err" "slow begins: it goes on where it was"
check_equal "what was done is not done again" "1 2 3 4 5" "$(echo $(sort -n slow.log | head -n 5))"
check_equal "and every trial is done" 20 "$(sort -n slow.log | uniq | wc -l)"

# ---- weights -------------------------------------------------------------------
cp -r "$ROOT/examples/campaign" weights
cat > weights/use.yaml <<'EOF'
command: test -s {template.weights} && throng report size={units}
metric: {name: size}
EOF
cat > weights/w.yaml <<'EOF'
stages:
  prepare: {command: sh prepare.sh leaves-raw.csv, outputs: [leaves.csv]}
  search: {study: search.yaml, run_cap: 4}
  judge: {command: "throng evaluate ${search.best.weights} --data leaves.csv > judged.txt", outputs: [judged.txt]}
  use: {study: use.yaml, parameters: {template: {from: search, select: "best:2", weights: true}}}
EOF
run env -C weights "$THRONG" run w.yaml
check_status "weights of an earlier stage are handed over" 0
check_contains "the best trial's can be judged" "$(cat weights/judged.txt)" accuracy
check_equal "and those of templates are files" 2 \
    "$(cd weights && throng export w/use --csv | grep -c ',done,\|done')"
run env -C weights "$THRONG" run w.yaml
check_contains "the same weights are no change" "$err" "nothing had changed"
echo 'device: portable' >> weights/search.yaml
run env -C weights "$THRONG" run w.yaml
check_contains "nor is another device to train on" "$err" "nothing had changed"
sed -i 's/run_cap: 4}/run_cap: 5, device: reference}/' weights/w.yaml
run env -C weights "$THRONG" run w.yaml
devices() { (cd weights && throng show w/search all --json | grep -o '"device":"[a-z]*"' | sort | uniq -c | xargs); }
check_equal "what is still to be trained is trained there" \
    '4 device:cpu 1 device:reference' "$(devices)"

# ---- files whose names have parameters in them ----------------------------
mkdir sets
for set in a b c d-1; do echo 1 > "sets/$set.csv"; done
cat > sets.yaml <<'EOF'
metric: {name: loss, goal: minimize}
method: grid
command: echo "::throng loss=$(cat sets/{set}.csv sets/d-{fold}.csv | wc -l)"
parameters: {set: {values: [a, b]}, fold: {min: 1, max: 2}}
EOF
cat > filled.yaml <<'EOF'
stages:
  judge: {study: sets.yaml}
  write: {command: cp sets/c.csv sets/d-2.csv, outputs: [sets/d-2.csv]}
EOF
run throng check filled.yaml
check_contains "a stage comes after who writes a file that a parameter names" "$out" "sets.yaml, after write"
run throng run filled.yaml
check_status "it runs" 0
echo 2 >> sets/b.csv
run throng run filled.yaml --dry-run
check_contains "a file that has a parameter in its name is read" "$out" "sets/b.csv has changed"
run throng run filled.yaml
echo 2 >> sets/d-1.csv
run throng run filled.yaml --dry-run
check_contains "also one of a range" "$out" "sets/d-1.csv has changed"
run throng run filled.yaml
echo 2 > sets/e.csv
run throng run filled.yaml
check_contains "one that no value names is not" "$err" "judge is done: unchanged"
mkdir models
cat > models/filled.yaml <<'EOF'
layers: [{dense: 1}]
loss: mse
epochs: 1
data: {file: "of-${set}.csv", label: y}
defaults: {set: p}
EOF
for set in p q; do printf 'x,y\n1,2\n2,4\n3,6\n' > "models/of-$set.csv"; done
cat > trained.yaml <<'EOF'
model: models/filled.yaml
metric: {name: loss, goal: minimize}
method: grid
parameters: {lr: {values: [0.1]}}
EOF
printf 'stages: {fit: {study: trained.yaml}}\n' > fitted.yaml
run throng run fitted.yaml
check_status "a model's data is named by a default" 0
printf '4,8\n' >> models/of-q.csv
run throng run fitted.yaml --dry-run
check_contains "another value's file is not read" "$out" "fit: done, unchanged"
printf '4,8\n' >> models/of-p.csv
run throng run fitted.yaml --dry-run
check_contains "the default's is" "$out" "models/of-p.csv has changed"

# ---- mistakes -----------------------------------------------------------------
cat > bad.yaml <<'EOF'
nme: x
stages:
  9a: {command: "true"}
  b: {command: "true", needs: [serch]}
  search: {study: search.yaml}
  d: {}
  g: {study: none.yaml}
  h: {command: "true", when: "search.best.x"}
  j: {command: "echo ${nope.best.x}"}
EOF
run throng run bad.yaml
check_status "a file with mistakes is refused" 1
for words in "bad.yaml:1:1: error: a campaign has no key 'nme' (did you mean 'name'?)" \
    "bad.yaml:3:3: error: a stage cannot be named '9a'" \
    "bad.yaml:4:31: error: there is no stage 'serch' (did you mean 'search'?)" \
    "bad.yaml:6:3: error: stage 'd' does not say what it runs" \
    "bad.yaml:7:14: error: study: cannot read" \
    "bad.yaml:8:30: error: 'search.best.x' is no comparison" \
    "bad.yaml:9:6: error: there is no stage 'nope'"; do
    check_contains "with its place: ${words##*error: }" "$err" "$words"
done
cat > bad.yaml <<'EOF'
stages:
  a: {command: "true", needs: c}
  b: {command: "cat ${a.best.x}"}
  c: {command: "true", needs: [b]}
EOF
run throng run bad.yaml
check_contains "a cycle is named" "$err" "stages go round in a circle: a needs c needs b needs a"
cat > bad.yaml <<'EOF'
stages:
  search: {study: search.yaml, run_cap: -3}
  e: {study: ensemble.yaml, parameters: {template: {from: search}, lr: {values: [1]}, fold: {values: [1]}}}
EOF
echo 'metod: grid' >> ensemble.yaml
run throng run bad.yaml
check_contains "a mistake in what the campaign says of a study" "$err" "bad.yaml:2:41: error: run_cap"
sed -i 's/run_cap: -3/run_cap: 3/' bad.yaml
run throng run bad.yaml
check_contains "a mistake in the study file" "$err" "ensemble.yaml:3:1: error: no key 'metod'"
check_contains "a name in both" "$err" "'lr' is a parameter of the grid and of the points"
sed -i '/metod/d' ensemble.yaml
sed -i 's/{from: search}, lr: {values: \[1\]}/{from: search, select: "bset:2"}/' bad.yaml
run throng run bad.yaml
check_contains "what selects no trials at all" "$err" \
    "bad.yaml:3:75: error: selector 'bset:2': names no trials (did you mean best:2?)"
check_not "nothing has run" test -e .throng/bad
