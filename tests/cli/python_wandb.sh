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
