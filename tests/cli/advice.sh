#!/usr/bin/env bash
# check: how long a study takes and where it belongs; --try and --subset.
. "$(dirname "$0")/lib.sh"

mkdir tmp
export TMPDIR=$PWD/tmp
json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }

cat >study.yaml <<'END'
name: mine
command: [sh, -c, 'sleep 0.1; echo "$PWD $THRONG_SUBSET" >>ran; throng report loss={x}']
method: grid
parallel: 2
on_finish: touch hooked
metric: {name: loss}
parameters: {x: {min: 1, max: 40}}
END
run "$THRONG" check study.yaml
check_status "a check runs nothing" 0
check_not "at all" test -e ran
check_contains "an unknown time is said" "$out" "estimate unknown: try some with --try 2"
check_contains "with advice" "$out" "advice   one machine does it"
run "$THRONG" check study.yaml --json
check_equal "also for programs" "None None 2 machine" "$(json '"%s %s %d %s" % (
    d["task_seconds"], d["estimate_seconds"], d["slots"], d["advice"])')"

# ---- a time that is given --------------------------------------------------
run "$THRONG" check study.yaml --task-time 30s
check_contains "a given time gives an estimate" "$out" \
    "estimate 10m here: 40 trials of 30s (given), 2 at once"
check_contains "short tasks are no single jobs" "$out" "less than the minute or so that a queue takes to start one, so many go into one job"
run "$THRONG" check study.yaml --task-time 2h --json
check_equal "long work belongs into a queue" "144000.0 queue" \
    "$(json '"%s %s" % (d["estimate_seconds"], d["advice"])')"
run "$THRONG" check study.yaml --task-time soon
check_status "a time must be one" 2
check_contains "and is shown" "$err" "\`soon\`"

# ---- trials that are tried -------------------------------------------------
run "$THRONG" check study.yaml --try 2 --subset 0.5
check_status "trials can be tried" 0
check_equal "in the study's folder, on a part of the data" "$PWD 0.5
$PWD 0.5" "$(cat ran)"
check_matches "they are measured" "$out" \
    '^measured 2 trials: .*MiB, with 0.5 of the data$'
check_matches "and scaled" "$out" '^estimate .*measured on a part of the data, scaled'
check_contains "which is the program's to do" "$out" "the program's to honour THRONG_SUBSET"
check_not "nothing of the study is there after it" test -e .throng
check_not "and its hooks were not called" test -e hooked
check_equal "nor is anything left" "" "$(ls tmp)"
run "$THRONG" check study.yaml --try 1 --json
check_equal "for programs too" True \
    "$(json 'd["task_seconds"] >= 0.1 and d["task_memory_bytes"] > 0')"
run "$THRONG" check study.yaml --subset 0.5
check_status "--subset goes with --try" 2
for bad in 0 2 much; do
    run "$THRONG" check study.yaml --try 1 --subset $bad
    check_status "$bad is no fraction" 2
done
cat >fails.yaml <<'END'
command: [sh, -c, 'echo it is broken; exit 3']
points: [{x: 1}, {x: 2}]
END
run "$THRONG" check fails.yaml --try 1
check_status "a trial that fails is told" 3
check_contains "with its last lines" "$err" "it is broken"

# ---- earlier runs ----------------------------------------------------------
# Two seconds each, of which a busy machine does not make twice as many.
sed -i 's/sleep 0.1/sleep 2/' study.yaml
run "$THRONG" run study.yaml --count 2
run "$THRONG" check study.yaml
check_contains "earlier runs are looked at" "$out" "measured 2 trials"
run "$THRONG" check study.yaml --try 1 --subset 0.1
check_contains "a program that does not heed THRONG_SUBSET is noticed" "$out" \
    "it seems that the program does not honour THRONG_SUBSET"

# ---- where it belongs ------------------------------------------------------
cat >coupled.yaml <<'END'
command: [mpirun, ./solve]
setup: module load mpi
points: [{x: 1}]
resources: {ranks: 64, nodes: 2}
END
run "$THRONG" check coupled.yaml --json
check_equal "ranks that talk want coupled nodes" coupled "$(json 'd["advice"]')"
cat >large.yaml <<'END'
command: ["true"]
points: [{x: 1}]
resources: {memory: 900T}
END
run "$THRONG" check large.yaml
check_matches "more memory than there is wants a larger machine" "$out" \
    'this machine cannot hold one trial: it needs 900 TiB of memory, this machine has [0-9.]+ .iB$'
check_contains "and has no estimate" "$out" "estimate never here"
check_lacks "nor a hint that leads nowhere" "$out" "--try"
check_equal "no line comes twice" "" "$(sort <<<"$out" | uniq -d)"
sed 's/memory: 900T/gpus: 16/' large.yaml >many.yaml
THRONG_GPUS=a100:8.0:40G run "$THRONG" check many.yaml
check_contains "more GPUs than any machine has want a queue" "$out" \
    "advice   a queue"
check_contains "and several of its nodes" "$out" "\`nodes: 2\`"
cat >lines.yaml <<'END'
command:
  - sh
  - -c
  - |
    echo a {x}
    echo 'b'
points: [{x: 1}, {x: 2}]
parallel: 1
END
run "$THRONG" check lines.yaml
check_contains "the lines of a script are indented" "$out" "  1  sh -c 'echo a 1
       echo '"
check_contains "one trial is not many" "$out" "1 trial fits this machine at once"
run "$THRONG" run --dry-run lines.yaml
check_equal "one line for each trial of a dry run" 3 "$(wc -l <<<"$out")"
check_equal "which a shell can read" "a 2
b" "$(bash -c "$(cut -f 3 <<<"$out" | tail -n 1)")"
head -c 3000000 /dev/zero >data.bin
cat >data.yaml <<'END'
command: ["true"]
points: [{x: 1}]
inputs: [data.bin]
END
run "$THRONG" check data.yaml
check_contains "data to carry is counted" "$out" "data to carry for each task: 2.86 MiB"

# ---- the work is judged, not this machine ----------------------------------
export THRONG_GPUS=
cat >articles.yaml <<'END'
command: ["true"]
method: random
run_cap: 18000000
engine: slurm
parameters: {x: {min: 0.0, max: 1.0}}
inputs: [{path: data.bin, site_bound: true}]
resources: {gpus: 1}
END
run "$THRONG" check articles.yaml --task-time 5s --slots 300
check_status "millions of short tasks on GPUs that are not here" 0
check_contains "belong into a queue" "$out" "advice   jobs of a Slurm cluster"
check_contains "as bundles" "$out" "many go into one job as a bundle"
check_contains "of the site that has the data" "$out" "site_bound: a queue of the site"
check_contains "with what they take in all" "$out" "work     1042 GPU-days in all: 3d 11h with 300 at once"
run "$THRONG" check articles.yaml --task-time 5s --slots 300 --json
check_equal "also for programs" "queue 90000000.0 300000.0" "$(json '"%s %s %s" % (
    d["advice"], d["work_seconds"], d["slots_seconds"])')"
sed '/^engine/d' articles.yaml >nowhere.yaml
run "$THRONG" check nowhere.yaml --slots 300
check_contains "how long it would take can be asked for elsewhere" "$out" \
    "never here: no trial fits this machine; for a queue's say --task-time 30s"
run "$THRONG" check articles.yaml --slots 0
check_status "no slots at all are a mistake" 2
sed -e 's/^run_cap:.*/run_cap: 200/' -e '/^inputs/d' articles.yaml >models.yaml
run "$THRONG" check models.yaml --task-time 3d
check_contains "days on a GPU, too" "$out" "advice   jobs of a Slurm cluster"
check_contains "one in a job" "$out" "many machines, a job for each task"
check_contains "with checkpoints, for short classes of jobs" "$out" \
    "(THRONG_CHECKPOINT, exit code 85); then it fits a site's class of short jobs"
sed -e 's/gpus: 1/gpus: 128, nodes: 16/' models.yaml >foundation.yaml
run "$THRONG" check foundation.yaml --task-time 3d
check_contains "one model on many nodes is coupled" "$out" "advice   tightly coupled nodes"
run "$THRONG" check study.yaml --task-time 7d
check_contains "300 days here are no matter of one machine" "$out" "advice   a queue"
run "$THRONG" check study.yaml --try 1
check_matches "what was tried can be pasted" "$out" '^resources:
  cpus: 1
  time: 10m
  memory: [0-9]+M'
sed -n '/^resources:/,$p' "$TMP/.out" >>study.yaml
run "$THRONG" check study.yaml
check_status "and is a study file's" 0

# ---- where an engine is said, the advice is about that ----

cat >away.yaml <<'YAML'
command: "true {x}"
method: grid
metric: {name: loss}
parameters: {x: {values: [1, 2, 3, 4]}}
YAML
for engine in slurm htcondor; do
    run "$THRONG" check away.yaml --engine $engine
    check_contains "$engine: the advice names the engine" "$out" \
        "(engine: $engine): many machines, tasks in bundles"
    check_lacks "$engine: and no machine of ours" "$out" "this machine"
    check_lacks "$engine: nor one that does it" "$out" "one machine"
    run "$THRONG" check away.yaml --engine $engine --task-time 10s
    check_contains "$engine: the estimate asks how many run at once" "$out" \
        "estimate 4 trials of 10s (given): how many run at once there"
    check_contains "$engine: what would be quicker is said" "$out" \
        "this machine alone would take"
    run "$THRONG" check away.yaml --engine $engine --task-time 10s --slots 2
    check_contains "$engine: or takes what is said" "$out" \
        "estimate 20s there: 4 trials of 10s (given), 2 at once"
    run "$THRONG" check away.yaml --engine $engine --task-time 10s --json
    check_equal "$engine: also for programs" queue "$(json 'd["advice"]')"
done
run "$THRONG" check away.yaml --engine htcondor --task-time 30000h
check_lacks "htcondor: no other queue is advised" "$out" slurm
