#!/usr/bin/env bash
# Which wandb a task gets: throng's stand-in or a real one, by the key
# `wandb:` and by what is installed where the task runs.
. "$(dirname "$0")/lib.sh"

# A real one on this machine would answer in the place of the fake one.
if python3 -c 'import wandb' 2>/dev/null; then
    skip_all "a wandb is installed for this python3"
fi

cat >ask.py <<'EOF'
import os, sys
try:
    import wandb
except ImportError:
    print("none")
    sys.exit(0)
print(getattr(wandb, "WHO", "stand-in"))
try:
    from importlib.metadata import version
    print("version", version("wandb"), file=sys.stderr)
except Exception as problem:
    print("version unknown", file=sys.stderr)
EOF
mkdir -p site/wandb
echo 'WHO = "real"' >site/wandb/__init__.py

# What the task said that ran with these lines in its study file.
asked() { # NAME LINE...
    local name=$1
    shift
    {
        printf 'name: %s\ncommand: [python3, ask.py]\nmethod: grid\n' "$name"
        printf 'keep: all\nparameters: {x: {value: 1}}\n'
        printf '%s\n' "$@"
    } >"$name.yaml"
    run "$THRONG" run -q "$name.yaml"
    [ "$status" -eq 0 ] || last_run
    run "$THRONG" logs "$name" 1
    printf '%s\n' "$out"
}
site="env: {PYTHONPATH: $TMP/site}"

check_contains "without a word the stand-in is there" "$(asked a)" stand-in
check_contains "without a word a real one is taken where there is one" \
    "$(asked b "$site")" real
check_contains "'wandb: stand-in' takes ours though there is a real one" \
    "$(asked c "$site" 'wandb: stand-in')" stand-in
check_contains "'wandb: stand-in' makes ours look installed" \
    "$(asked d 'wandb: stand-in')" "version 0."
check_contains "without a word it does not look installed" \
    "$(asked e)" "version unknown"
check_contains "'wandb: real' takes the real one" \
    "$(asked f "$site" 'wandb: real')" real
check_contains "'wandb: real' never takes ours" \
    "$(asked g 'wandb: real')" none
export THRONG_WANDB=stand-in
check_contains "an outer study's choice does not reach in" \
    "$(asked h "$site")" real
unset THRONG_WANDB

# A folder ./wandb with the files of runs is not a real wandb.
mkdir -p wandb/offline-run-1
check_contains "a folder of runs is not taken for wandb" "$(asked i)" stand-in

# The client is on the path whatever the study says of wandb.
cat >client.py <<'EOF'
import throng
throng.report(step=1, loss=throng.params()["x"])
EOF
cat >client.yaml <<'EOF'
program: client.py
command: [python3, "${program}"]
method: grid
wandb: real
metric: {name: loss, goal: minimize}
parameters: {x: {value: 3}}
EOF
run "$THRONG" run -q client.yaml
check_status "a script with \`import throng\` runs" 0
run "$THRONG" export client --jsonl
check_contains "its report is the trial's value" "$out" '"value":3.0'

# A trial that is stopped is interrupted as W&B does it, and may still say
# what it has; it does not wait for the time of grace (30 s).
cat >endless.py <<'EOF'
import time
import wandb
wandb.init()
try:
    while True:
        wandb.log({"loss": 1.0})
        open("began", "w").close()
        time.sleep(0.02)
except KeyboardInterrupt:
    wandb.summary["last_words"] = 7
EOF
cat >endless.yaml <<'EOF'
program: endless.py
command: [python3, "${program}"]
method: grid
wandb: stand-in
metric: {name: loss, goal: minimize}
parameters: {x: {value: 3}}
EOF
"$THRONG" run -q endless.yaml 2>/dev/null &
conductor=$!
check "an endless script runs" wait_for 60 [ -e began ]
start=$(date +%s)
run "$THRONG" stop endless 1
wait "$conductor"
took=$(($(date +%s) - start))
run "$THRONG" export endless --jsonl
check_contains "a trial that is stopped ends as stopped" "$out" '"stopped"'
check_contains "its summary is there" "$out" '"last_words":{"last":7.0'
check "it did not wait for the time of grace" [ "$took" -lt 25 ]

# A script that checkpoints goes on with its steps in the next attempt.
cat >again.py <<'EOF'
import os, sys
import throng
import wandb
path = os.path.join(throng.checkpoint_dir(), "epoch")
first = int(open(path).read()) if os.path.exists(path) else 0
wandb.init(resume="allow")
assert wandb.run.step == first and wandb.run.resumed == (first > 0)
for epoch in range(first, 4):
    wandb.log({"loss": 4.0 - epoch})
    with open(path, "w") as file:
        file.write(str(epoch + 1))
    if epoch % 2 == 1 and epoch < 3:
        sys.exit(85)
EOF
sed 's/endless/again/' endless.yaml >again.yaml
run "$THRONG" run -q again.yaml
check_status "a script with checkpoints runs to its end" 0
run "$THRONG" export again --jsonl
check_contains "in two attempts" "$out" '"attempts":2'
run "$THRONG" show again 1
check_matches "with a point for each step" "$out" '^ *loss +1 +1 +4 +4$'
