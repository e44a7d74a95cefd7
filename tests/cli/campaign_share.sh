#!/usr/bin/env bash
# campaign_share.sh - what stages share: trials at once, studies, weights
. "$(dirname "$0")/lib.sh"

lines() { wc -l < "$1" 2> /dev/null || echo 0; }
has() { [ "$(lines "$1")" -ge "$2" ]; }

# ---- a stage that ends leaves its part to the others ---------------------
# The trials of `pair` end only when two of them run at once.
cat > pair.sh <<'EOF'
echo "$1" >> pair.log
until [ "$(wc -l < pair.log)" -ge 2 ]; do sleep 0.05; done
throng report loss="$1"
EOF
cat > pair.yaml <<'EOF'
method: grid
metric: {name: loss, goal: minimize}
parameters: {x: {values: [1, 2]}}
command: sh pair.sh {x}
EOF
cat > alone.yaml <<'EOF'
method: grid
metric: {name: loss, goal: minimize}
parameters: {x: {values: [1]}}
command: "echo >> alone.log; until [ -e alone-go ]; do sleep 0.05; done; throng report loss={x}"
EOF
printf 'parallel: 2\nstages:\n  alone: {study: alone.yaml}\n  pair: {study: pair.yaml}\n' > both.yaml
throng run -q both.yaml &
run=$!
check "two stages run at the same time" wait_for 60 has alone.log 1
check "each with its part" wait_for 60 has pair.log 1
check_equal "which is one trial" 1 "$(lines pair.log)"
touch alone-go
wait $run
check_equal "the part of the one that ends goes to the other" 0 $?

# ---- a part becomes smaller when others may begin -------------------------
cat > long.yaml <<'EOF'
method: grid
metric: {name: loss, goal: minimize}
parameters: {x: {values: [1, 2, 3]}}
command: "echo {x} >> long.log; until [ -e go-{x} ]; do sleep 0.05; done; throng report loss={x}"
EOF
for n in 1 2; do
    cat > late$n.yaml <<EOF
method: grid
metric: {name: loss, goal: minimize}
parameters: {x: {values: [1]}}
command: "echo >> late$n.log; until [ -e late-go ]; do sleep 0.05; done; throng report loss={x}"
EOF
done
cat > three.yaml <<'EOF'
parallel: 3
stages:
  long: {study: long.yaml}
  first: {command: "until [ -e first-go ]; do sleep 0.05; done"}
  late1: {study: late1.yaml, needs: first}
  late2: {study: late2.yaml, needs: first}
EOF
throng run -q three.yaml &
run=$!
check "a study has what no command needs" wait_for 60 has long.log 2
touch first-go
check "one that comes later begins with what is free" wait_for 60 has late1.log 1
check_equal "the next one waits: no trial is one too many" 0 "$(lines late2.log)"
touch go-1
check "it begins when a trial that is too many has ended" wait_for 60 has late2.log 1
check_equal "which no other one follows" 2 "$(lines long.log)"
touch go-2 go-3 late-go
wait $run
check_equal "and all end well" 0 $?

# ---- a dry run changes nothing -------------------------------------------
printf 'command: [sh, -c, "throng report loss={x}"]\nmetric: {name: loss}\nmethod: random\nseed: 1\nrun_cap: 2\nparameters: {x: {min: 0.0, max: 1.0}}\n' > s.yaml
printf 'stages:\n  s: {study: s.yaml}\n' > a.yaml
cp a.yaml b.yaml
throng run a.yaml -q && throng run b.yaml -q
check "a study is shared" test -L .throng/b/s
sed -i 's/s.yaml}/s.yaml, seed: 2}/' a.yaml
throng run a.yaml -q
run throng run b.yaml --dry-run
check_contains "a study that its owner has begun anew would be run" "$out" "s: runs"
check "a dry run leaves the link where it is" test -L .throng/b/s
run throng run b.yaml
check_status "the run makes a study of its own" 0
check_not "no link" test -L .throng/b/s
run throng rank a/s
check_status "the other one's stays" 0

# ---- retries, and weights that do not fit ----------------------------------
cp -r "$ROOT/examples/campaign" fits
cut -d, -f1,2 fits/leaves-raw.csv > fits/narrow.csv
cat > fits/w.yaml <<'EOF'
stages:
  prepare: {command: "sh prepare.sh leaves-raw.csv; test -e once || { touch once; exit 1; }", outputs: [leaves.csv], retries: 1}
  search: {study: search.yaml, run_cap: 3}
  judge: {command: "throng evaluate ${search.best.weights} --data narrow.csv"}
  aside: {command: "throng evaluate ${search.best.weights} --data leaves.csv > judged.txt", outputs: [judged.txt]}
EOF
run env -C fits "$THRONG" run w.yaml
check_status "a stage that fails is said" 3
check_contains "a command that fails once is tried again" "$err" "prepare is done"
check_matches "weights whose model does not fit the data" "$err" \
    "judge has failed: .*there is no column .*, which the model was trained with"
check_contains "the rest goes on" "$err" "aside is done"
check "and nothing is lost" test -s fits/judged.txt
