#!/usr/bin/env bash
# The verb check: what a study file would do, and all that is wrong with one.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }

cat >good.yaml <<'END'
program: train.py
method: grid
metric: {name: acc, goal: maximize}
resources: {cpus: 2, memory: 1G}
parameters:
  lr: {values: [0.1, 0.01]}
  opt: {value: sgd}
END
run "$THRONG" check good.yaml
check_status "a program that is not there fails the check" 1
check_contains "and is named, with its place" "$err" \
    "good.yaml:1:10: error: program: there is no train.py"
touch train.py
run "$THRONG" check good.yaml
check_status "a good file is checked" 0
check_equal "without a word on standard error" "" "$err"
check_matches "it says the name" "$out" '^study +good$'
check_matches "how many trials there are" "$out" '^trials +2$'
check_matches "what decides" "$out" '^metric +acc, maximize, the last value'
check_matches "what each needs" "$out" '^needs +2 cpus, 1 GiB'
check_matches "and what would run" "$out" \
    '^  1  /usr/bin/env python[0-9.]* train.py --lr=0.1 --opt=sgd$'
check_matches "and the program" "$out" '^program +train.py$'
check_not "nothing was run or made" test -e .throng
run "$THRONG" check good.yaml --json
check_equal "check --json has its schema" throng.check/1 "$(json 'd["schema"]')"
check_equal "and says the same" "good grid 2 acc maximize last" "$(json \
    '"%s %s %d %s %s %s" % tuple(d[k] for k in
        ("study", "method", "trials", "metric", "goal", "pick"))')"

cat >endless.yaml <<'END'
command: ['true']
method: random
parameters: {x: {min: 0.0, max: 1.0}}
END
run "$THRONG" check endless.yaml
check_matches "a study without an end is named so" "$out" '^trials +no end'
check_contains "with a notice" "$err" "--count N"
check_contains "a command without parameters shows them beside it" "$out" '{"x":'
run "$THRONG" check endless.yaml --json
check_equal "which JSON says with null" None "$(json 'd["trials"]')"

# ---- what cannot be started -------------------------------------------------
startable() { # command (YAML) more-keys…
    printf '%s\n' "command: $1" "method: random" "run_cap: 1" \
        "parameters: {lr: {min: 0.0, max: 1.0}}" "${@:2}" >start.yaml
    run "$THRONG" check start.yaml
}
startable './nothere {lr}'
check_status "a command that is not there fails the check" 1
check_contains "by its name" "$err" "start.yaml:1:10: error: command: there is no ./nothere"
startable 'nosuchprogram {lr}'
check_status "so does one that is not on PATH" 1
check_contains "which is said" "$err" 'no program `nosuchprogram` on PATH'
startable 'nosuchprogram {lr}' 'setup: module load it'
check_status "unless setup lines may bring it" 0
check_contains "then it is a warning" "$err" 'warning: command: no program `nosuchprogram`'
startable '[python3, lost.py, "{lr}"]'
check_status "a script that its interpreter would not find fails it" 1
check_contains "with its name" "$err" "there is no lost.py"
startable 'cat train.py --x={learning_rate}'
check_status "a name in braces that no parameter has fails the check" 1
check_contains "with the names there are" "$err" \
    "no parameter is called 'learning_rate', so {learning_rate} stays as it is (the parameters are lr)"
run "$THRONG" run start.yaml
check_contains "run warns of it" "$err" "warning: command: no parameter is called 'learning_rate'"
rm -r .throng
printf '%s\n' '#!/opt/none/bin/python3' 'print(1)' >asks.sh
chmod +x asks.sh
startable './asks.sh {lr}'
check_status "a script whose interpreter is not there fails it" 1
check_contains "which is named" "$err" "./asks.sh asks for /opt/none/bin/python3, which is not here"
printf '%s\n' '#!/usr/bin/env nosuchpython' >asks.sh
startable './asks.sh {lr}'
check_contains "also one that env would look for" "$err" "asks for nosuchpython"
printf '%s\n' '#! /usr/bin/env -S sh -e' >asks.sh
startable './asks.sh {lr}'
check_status "options of env are left alone" 0
printf '%s\n' '#!/bin/sh -e' >asks.sh
startable './asks.sh {lr}'
check_status "one that is there is fine" 0
touch plain.sh
startable './plain.sh {lr}'
check_contains "a file that may not be executed is named so" "$err" "chmod +x ./plain.sh"
startable "sh -c 'for i in 1 2; do echo \$\${i} {lr}; done'"
check_status "a variable of a shell can be escaped" 0
check_contains "and arrives as it is meant" "$out" 'echo ${i} 0'
startable 'true' 'venv: nothere'
check_status "a virtual environment that is not there fails the check" 1
check_contains "with what was looked for" "$err" "venv: there is no Python at $PWD/nothere/bin/python"
run "$THRONG" run start.yaml
check_status "and a run" 1
printf '%s\n' 'command: cat train.py' 'method: random' 'run_cap: 1' \
    'parameters: {lr: {min: 0, max: 1}}' >ints.yaml
run "$THRONG" check ints.yaml
check_contains "bounds 0 and 1 without a point are explained" "$err" \
    "warning: parameter 'lr' is 0 or 1: bounds without a point are those of whole numbers (write min: 0.0, max: 1.0"

cat >bad.yaml <<'END'
progam: t.py
method: gird
metric: {name: loss, goal: minimise}
parameters:
  x: {min: 3, max: 1}
  lr: {distribution: log_uniform_value, min: 0.1}
END
for verb in check run; do
    run "$THRONG" $verb bad.yaml
    check_status "$verb refuses a file with mistakes" 1
    check_equal "and prints nothing as data" "" "$out"
    check_contains "an unknown key has its place" "$err" "bad.yaml:1:1: error:"
    check_contains "and the nearest known one" "$err" "did you mean 'program'?"
    check_contains "so has a wrong value" "$err" "did you mean 'minimize'?"
    check_contains "all mistakes are named at once" "$err" "bad.yaml:6:"
    check_matches "and counted" "$err" 'bad.yaml has [5-9] mistakes$'
done
check_not "a file with mistakes makes no study" test -e .throng
run "$THRONG" check bad.yaml --json
check_status "check --json refuses it too" 1
check_equal "its mistakes are JSON" "throng.check/1 error bad.yaml 1 1" "$(json \
    '" ".join([d["schema"]] + [str(d["problems"][0][k]) for k in
        ("level", "file", "line", "column")])')"
check_equal "with their hints" "did you mean 'program'?" \
    "$(json 'd["problems"][0]["hint"]')"
check_matches "all of them" "$(json 'len(d["problems"])')" '^[5-9]$'

cat >later.yaml <<'END'
program: train.py
method: random
run_cap: 2
metric: {name: loss}
early_terminate: {type: hyperband, min_iter: 3}
profile: big
parameters: {x: {min: 0.0, max: 1.0}}
END
export XDG_CONFIG_HOME=$TMP/config
run "$THRONG" check later.yaml
check_status "a profile that is not there is a mistake" 1
check_matches "with its place and where profiles stand" "$err" \
    "^later.yaml:6:[0-9]+: error: there is no profile 'big' .*/config/throng/profiles.yaml"
mkdir -p "$XDG_CONFIG_HOME/throng"
echo 'big: {partition: gpu}' >"$XDG_CONFIG_HOME/throng/profiles.yaml"
chmod 600 "$XDG_CONFIG_HOME/throng/profiles.yaml"
run "$THRONG" check later.yaml
check_status "one that names no engine is none" 0
check_contains "but said" "$err" "this profile is not used"
chmod 666 "$XDG_CONFIG_HOME/throng/profiles.yaml"
run "$THRONG" check later.yaml
check_status "what others could have written is not believed" 1
check_contains "with the way out" "$err" "it must be yours and \`chmod 600\`"
chmod 600 "$XDG_CONFIG_HOME/throng/profiles.yaml"
run "$THRONG" check later.yaml --engine slrum
check_status "an engine that is not there" 2
check_contains "is told, with the nearest" "$err" "did you mean slurm"
echo 'engine: mpi' >>later.yaml
run "$THRONG" run later.yaml
check_status "what throng cannot do yet is refused" 1
check_contains "which is said" "$err" "is not there yet; use local"
cp "$ROOT/tests/plan/sweeps/03-bayes-hyperband.yaml" bayes.yaml
run "$THRONG" check bayes.yaml
check_status "a bayes sweep is checked" 0
check_matches "with its trials" "$out" '^trials   50$'
check_matches "its commands" "$out" '^  5  .*--lr=.*--warmup=.*--weight_decay='
check_contains "what they need" "$out" "needs    "
check_contains "which value counts" "$out" "the best value of a trial counts"
check_contains "and its bands" "$out" "hyperband, looks after 3 and 9 reports"
sed -e 's/^run_cap:.*/run_cap: 26/' -e '/^early_terminate:/,/^[a-z]/{/^early_terminate:/d;/^ /d}' bayes.yaml >climb.yaml
echo 'early_terminate: {type: asha, max_iter: 27}' >>climb.yaml
run "$THRONG" check climb.yaml
check_contains "too few trials to climb to the last rung are told" "$out" "the best of 26 gets to report 9"
sed -i 's/^run_cap:.*/run_cap: 27/' climb.yaml
run "$THRONG" check climb.yaml
check "enough are not" test "${out#*too few}" = "$out"
sed -i 's/^profile/profiel/' later.yaml
run "$THRONG" check later.yaml
check_contains "together with all other mistakes" "$err" "later.yaml has 2 mistakes"

# ---- how many models train at once ----------------------------------------------
printf 'x,y\n1,2\n2,3\n3,4\n4,5\n' >few.csv
cat >grow.yaml <<'MODEL'
layers: [{dense: "${units}"}, {dense: "${units}"}, {dense: 1}]
loss: mse
optimizer: {name: adam, lr: 0.01}
data: {file: few.csv}
MODEL
printf 'model: grow.yaml\nmethod: random\nrun_cap: 500\nmetric: {name: loss}\nparameters: {units: {values: [4, 8]}}\n' >grown.yaml
run "$THRONG" check grown.yaml
check_contains "of small models a cohort is full" "$out" "1/64 of a cpu each"
# 9 million weights with Adam's state: 108 MB each, of 256 that a cohort may take.
sed -i 's/4, 8/4, 3000/' grown.yaml
run "$THRONG" check grown.yaml
check_contains "of large ones there are as many as its device has room for" "$out" "0.5 cpus each"

# A file that is not there is a problem like others, for programs too.
run "$THRONG" check nosuch.yaml --json
check_status "a file that is not there" 4
check_equal "is told in JSON" "throng.check/1 error" "$(python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
print(d["schema"], d["problems"][0]["level"])' "$TMP/.out")"
check_contains "and in words" "$err" "cannot read nosuch.yaml"

# ---- what is tried is tried here -------------------------------------------------
cat >queued.yaml <<'END'
command: [sh, -c, "echo ::throng loss=1"]
engine: slurm
slurm: {partition: gpu, job_slots: 2}
method: grid
metric: {name: loss}
parameters: {x: {values: [1, 2]}}
END
run "$THRONG" check queued.yaml --try 1
check_status "a study of a cluster is tried on this machine" 0
check_matches "and measured" "$out" "^measured 1 trial"

# ---- what is said of a device ----------------------------------------------------
for verb in check run; do
    run "$THRONG" $verb grown.yaml --device cpuu
    check_status "$verb: a device that is none is refused" 2
    run "$THRONG" $verb queued.yaml --engine local --device cpu
    check_status "$verb: one for a program is no mistake" 0
    check_contains "$verb: but is said to count for nothing" "$out$err" \
        'queued.yaml: warning: --device is not used: a program computes where it likes (resources says whether a program has a GPU)'
done
run "$THRONG" check grown.yaml --device cpu
check_lacks "for models it counts" "$out$err" 'not used'
printf 'stages:\n  one: {study: queued.yaml, engine: local}\n' >campaign.yaml
run "$THRONG" check campaign.yaml --device cuda
check_contains "a campaign of programs uses none either" "$out$err" \
    'campaign.yaml: warning: --device is not used'
printf '  two: {study: grown.yaml}\n' >>campaign.yaml
run "$THRONG" check campaign.yaml --device cpu
check_lacks "one in which a stage trains does" "$out$err" 'not used'
