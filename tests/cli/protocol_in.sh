#!/usr/bin/env bash
# What goes into a training program: environment, params file, arguments, its
# own variables, setup lines, working folder, templates, GPUs.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$@"; }

# ---- the environment -------------------------------------------------------
cat >look.sh <<'END'
env -0 | sort -z | tr '\0' '\n' >"$SIDE/env.$THRONG_TRIAL.$THRONG_ATTEMPT"
cp "$THRONG_PARAMS" "$SIDE/params.$THRONG_TRIAL"
pwd >"$SIDE/pwd.$THRONG_TRIAL"
ls -d "$THRONG_CHECKPOINT" "$THRONG_OUTPUT" >"$SIDE/folders.$THRONG_TRIAL" 2>&1
END
cat >in.yaml <<'END'
name: in
command: [sh, ../look.sh]
method: points
points:
  - {lr: 1.0e-05, n: 3, opt: "it's \"quoted\" ü", flag: true, none: null, a.b-c: 1, list: [1, x], obj: {x: 1}}
  - {lr: 2.0, n: 4, opt: "", flag: false, none: 1, a.b-c: 2, list: [], obj: {}}
resources: {cpus: 2, time: 1h}
env: {OWN: here, FROM: "${envvar:SIDE}/x"}
setup: |
  export BY_SETUP=done
  cd sub
END
export SIDE=$TMP/side THRONG_TRIAL=outer THRONG_P_outer=1 PYTHONPATH=/before
mkdir "$SIDE" sub
run "$THRONG" run in.yaml
unset THRONG_TRIAL
check_status "a study with points of every kind runs" 0
value() { sed -n "s/^$1=//p" "$SIDE/env.${2:-1}.1"; }
check_equal "THRONG_STUDY is the study" in "$(value THRONG_STUDY)"
check_equal "THRONG_TRIAL is this trial, not an outer one" 1 "$(value THRONG_TRIAL)"
check_equal "THRONG_ATTEMPT is the attempt" 1 "$(value THRONG_ATTEMPT)"
check_matches "THRONG_SEED is a number" "$(value THRONG_SEED)" '^[0-9]+$'
check_not "another one for another trial" \
    test "$(value THRONG_SEED 1)" = "$(value THRONG_SEED 2)"
check_equal "parameters of an outer study are gone" "" "$(value THRONG_P_outer)"
check_equal "a float is as Python writes it" 1e-05 "$(value THRONG_P_lr)"
check_equal "and stays a float" 2.0 "$(value THRONG_P_lr 2)"
check_equal "an integer is one" 3 "$(value THRONG_P_n)"
check_equal "a text is bare" "it's \"quoted\" ü" "$(value THRONG_P_opt)"
check_equal "booleans, null, lists and objects are JSON" \
    'true null [1,"x"] {"x":1}' "$(value THRONG_P_flag) $(value THRONG_P_none) \
$(value THRONG_P_list) $(value THRONG_P_obj)"
check_equal "other characters of a name become _" 1 "$(value THRONG_P_a_b_c)"
check_equal "THRONG_PARAMS holds them all" "[1, 'x'] 1e-05 True None 8" \
    "$(json '"%s %s %s %s %d" % (d["list"], d["lr"], d["flag"], d["none"],
        len(d))' "$SIDE/params.1")"
check_equal "THRONG_CHECKPOINT and THRONG_OUTPUT are folders" \
    "$(value THRONG_CHECKPOINT 2) $(value THRONG_OUTPUT 2)" \
    "$(paste -sd' ' "$SIDE/folders.2")"
check_matches "THRONG_METRICS is a path" "$(value THRONG_METRICS)" '^/.*metrics'
check_not "THRONG_STOP is not there yet" test -e "$(value THRONG_STOP)"
check_matches "THRONG_DEADLINE comes with a time limit" \
    "$(value THRONG_DEADLINE)" '^[0-9]{10}'
check_equal "OMP_NUM_THREADS is what was granted" 2 "$(value OMP_NUM_THREADS)"
check_equal "env: sets variables" here "$(value OWN)"
check_equal "and takes others from where the task runs" "$SIDE/x" "$(value FROM)"
check_equal "setup: lines have run before" done "$(value BY_SETUP)"
check_equal "THRONG_SUBSET and THRONG_BUDGET are not set unasked" "" \
    "$(value THRONG_SUBSET)$(value THRONG_BUDGET)"
check_matches "what was on PYTHONPATH stays on it" "$(value PYTHONPATH)" ':/before$'
check_equal "without workdir: the folder is the study's, but setup may change it" "$PWD/sub" \
    "$(cat "$SIDE/pwd.1")"

cat >clash.yaml <<'END'
command: ['true']
method: points
points: [{a.b: 1, a-b: 2}]
END
run "$THRONG" run clash.yaml
check_matches "two names that become the same are an error" "$("$THRONG" show 1; echo "$err")" \
    'THRONG_P_a_b'

# ---- arguments -------------------------------------------------------------
cat >args.yaml <<'END'
program: args.sh
command: ["${env}", sh, "${program}", "${args}", "at={lr}", "{other}", "${envvar:SIDE}"]
method: grid
parameters: {lr: {value: 0.001}, name: {value: "a b"}, on: {value: true}}
END
# shellcheck disable=SC2016
echo 'printf "%s\n" "$@" >"$SIDE/args"' >args.sh
run "$THRONG" run args.yaml
check_equal "arguments arrive as W&B passes them" "--lr=0.001
--name=a b
--on=True
at=0.001
{other}
$SIDE" "$(cat "$SIDE/args")"

# ---- the folder and its files ----------------------------------------------
cat >folder.yaml <<'END'
command: [sh, -c, 'pwd >$SIDE/pwd; cat input.txt sub/deep.cfg >$SIDE/files; echo kept >result.dat; mkdir more; echo 2 >more/b.dat']
method: grid
workdir: trial
keep: all
templates: [input.txt, sub/deep.cfg]
outputs: ["*.dat", "more/**"]
parameters: {lr: {value: 0.5}, opt: {value: adam}}
END

printf 'rate = {lr}\nkeep {this} and {"json": 1}\n' >input.txt
printf '{opt}\n' >sub/deep.cfg
run "$THRONG" run folder.yaml
check_status "workdir: trial with templates and outputs" 0
check_matches "the task runs in a folder of its own" "$(cat "$SIDE/pwd")" \
    "^$PWD/.throng/folder/"
check_equal "templates are filled in there" 'rate = 0.5
keep {this} and {"json": 1}
adam' "$(cat "$SIDE/files")"
run "$THRONG" show folder 1
check_matches "outputs: are kept" "$out" 'result.dat'
check_matches "in subfolders too" "$out" 'more/b.dat'
run "$THRONG" show folder 1 --json
folder=$(json 'd["trials"][0]["folder"]' "$TMP/.out")
check_equal "where show says" kept "$(cat "$folder/output/result.dat")"

cat >beside.yaml <<'END'
program: beside.sh
command: [sh, "${program}", "${args}"]
method: grid
workdir: trial
parameters: {lr: {value: 0.5}}
END
# shellcheck disable=SC2016
echo 'printf "%s %s" "$PWD" "$1" >"$SIDE/beside"' >beside.sh
run "$THRONG" run beside.yaml
check_matches "program: is beside the study file in any folder" "$(cat "$SIDE/beside")" \
    "^$PWD/.throng/beside/.* --lr=0.5$"
run "$THRONG" show beside 1 --command
check_matches "and show --command has its whole path" "$out" "sh $PWD/beside.sh"
cat >filled.yaml <<'END'
command: [./filled.sh]
method: grid
workdir: trial
setup: chmod +x filled.sh
templates: [filled.sh]
parameters: {lr: {value: 0.5}}
END
# shellcheck disable=SC2016
printf '#!/bin/sh\necho {lr} >"$SIDE/filled"\n' >filled.sh
run "$THRONG" run filled.yaml
check_equal "but not a template, which lies in the trial's" 0.5 "$(cat "$SIDE/filled")"

# ---- GPUs ------------------------------------------------------------------
cat >gpus.yaml <<'END'
command: [sh, -c, 'echo "$CUDA_VISIBLE_DEVICES" >$SIDE/gpu.{a}; until [ -e $SIDE/gpu.1 -a -e $SIDE/gpu.2 ]; do sleep 0.02; done']
method: grid
parallel: 2
resources: {cpus: 0.5, gpus: 1}
parameters: {a: {values: [1, 2]}}
END
export THRONG_GPUS=a100:8.0:40G,t4:7.5:16G
run "$THRONG" run gpus.yaml
check_equal "two tasks at once get a GPU each" "0 1" \
    "$(sort "$SIDE"/gpu.[12] | paste -sd' ')"
sed 's/gpus: 1}/gpus: 0.5}/' gpus.yaml >half.yaml
rm "$SIDE"/gpu.*
THRONG_GPUS=a100:8.0:40G run "$THRONG" run half.yaml
check_equal "halves share one" "0 0" "$(sort "$SIDE"/gpu.[12] | paste -sd' ')"
sed 's/gpus: 1}/gpus: "t4:1"}/; s/parallel: 2/parallel: 1/; s/; until.*done//' \
    gpus.yaml >kind.yaml
rm "$SIDE"/gpu.*
run "$THRONG" run kind.yaml
check_equal "a kind of GPU can be asked for" "1 1" "$(cat "$SIDE"/gpu.[12] | paste -sd' ')"
sed 's/gpus: 1}/gpus: 1, gpus_minimum_capability: 8.0}/; s/; until.*done//' \
    gpus.yaml >able.yaml
rm "$SIDE"/gpu.*
run "$THRONG" run able.yaml
check_equal "or a capability" "0 0" "$(cat "$SIDE"/gpu.[12] | paste -sd' ')"
sed 's/gpus: 1}/gpus: 3}/' gpus.yaml >many.yaml
run "$THRONG" run many.yaml
check_status "more than there are is refused at once" 1
check_contains "with the reason" "$err" "gpu"
sed 's|, gpus: 1}|, gpus: 0}|; s|; until.*done||' gpus.yaml >none.yaml
rm "$SIDE"/gpu.*
run "$THRONG" run none.yaml
check_equal "who wants none sees none" " " "$(cat "$SIDE"/gpu.[12] | paste -sd' ')"
THRONG_GPUS=nonsense run "$THRONG" run none.yaml
check_status "a description that cannot be read is an error" 1
check_contains "that shows the form" "$err" "a100:8.0:40G"
run "$THRONG" doctor
check_contains "doctor counts the GPUs described" "$out" "2, first: a100"
unset THRONG_GPUS

# ---- needs that can never be met -------------------------------------------
sed 's/resources: .*/resources: {cpus: 100000}/' gpus.yaml >cpus.yaml
run "$THRONG" run cpus.yaml
check_status "needs that can never be met are refused at once" 1
check_contains "with the need" "$err" "cpu"
sed 's/resources: .*/resources: {memory: 100000T}/' gpus.yaml >memory.yaml
run "$THRONG" run memory.yaml
check_status "memory too" 1
check_contains "which is named" "$err" "memory"
