# Containers, frozen code and the tools of tasks in jobs of a real Slurm. As in
# tests/cli/container.sh a stand-in takes apptainer's place; that it is on PATH
# of the nodes only, the job's setup sees to, as `module load` would.
# timeout: 400
. "$(dirname "$0")/lib.sh"
export STAND_IN=$TMP/stand_in
mkdir "$STAND_IN"
echo image >env.sif

# ---- a container in a job -----------------------------------------------------------
cat >train.py <<'PY'
import os, subprocess, throng
assert os.environ["APPTAINER_CONTAINER"] == "yes"
assert "SLURM_NTASKS" not in os.environ
throng.report(loss=float(os.environ["THRONG_P_x"]))
subprocess.run(["throng", "report", "from_path=1"], check=True)
print("gpu", os.environ["CUDA_VISIBLE_DEVICES"], "tools", throng.__file__)
with open(os.environ["THRONG_CHECKPOINT"] + "/state", "w") as f:
    f.write("1")
PY
cat >inside.yaml <<YAML
program: train.py
container: env.sif
method: grid
metric: {name: loss}
resources: {gpus: 1}
parameters: {x: {distribution: int_uniform, min: 1, max: 8}}
slurm: {setup: "export PATH=$ROOT/tests/cli/stand_in:\$PATH"}
YAML
run "$THRONG" run inside.yaml --engine slurm
check_status "a study in containers runs in jobs" 0
check_contains "that there is no apptainer here is only a warning" "$err" \
    'warning: container: neither apptainer nor singularity is on PATH here'
check_equal "metrics are heard" 36.0 \
    "$(sqlite3 .throng/inside/study.db 'select sum(value) from trials')"
check_equal "checkpoints are kept" 8 \
    "$(ls .throng/inside/trials/0/*/checkpoint/state | wc -l)"
check_equal "GPUs are brought in" 8 "$(wc -l <"$STAND_IN/nv")"
check_equal "and are those of the trial" '0 1' \
    "$(cat .throng/inside/trials/0/*/log | sed -n 's/^gpu \(.*\) tools.*/\1/p' |
        sort -u | xargs)"

# ---- tools once ---------------------------------------------------------------------
check_equal "all workers of the study had the same tools" 1 \
    "$(cat .throng/inside/trials/0/*/log | sed -n 's/.* tools //p' |
        sort -u | wc -l)"
check_equal "of which there is one" 1 "$(ls .throng/inside/jobs/tools | wc -l)"

# ---- stopping --------------------------------------------------------------------------
cat >stop.yaml <<YAML
command: [sh, -c, ': >$PWD/there; until [ -e \$THRONG_STOP ]; do sleep 0.1; done; echo ::throng loss=3']
container: env.sif
method: grid
metric: {name: loss}
parameters: {x: {values: [1]}}
slurm: {setup: "export PATH=$ROOT/tests/cli/stand_in:\$PATH"}
YAML
"$THRONG" run stop.yaml --engine slurm >stop.out 2>&1 &
conductor=$!
check "one that waits runs" wait_for 60 test -e there
run "$THRONG" stop stop 1
wait "$conductor"
check_equal "it hears inside that it shall stop" 3.0 \
    "$(sqlite3 .throng/stop/study.db 'select value from trials')"

# ---- no program on the nodes ---------------------------------------------------------
sed 's/^slurm:.*//' inside.yaml >without.yaml
run "$THRONG" run without.yaml --engine slurm
check "without the program on a node trials fail" test "$status" -ne 0
run "$THRONG" errors without
check_contains "with the reason" "$out" \
    'container: neither apptainer nor singularity is on PATH on'

# ---- frozen code ------------------------------------------------------------------------
mkdir frozen && cd frozen || exit 1
echo 'echo "::throng loss=1"; [ $THRONG_P_x != 1 ] || until [ -e '"$TMP"'/edited ]; do : >'"$TMP"'/began; sleep 0.1; done' >v.sh
cat >frozen.yaml <<YAML
code: copy
command: [sh, v.sh]
method: grid
grid: {order: written}
parallel: 1
metric: {name: loss}
parameters: {x: {distribution: int_uniform, min: 1, max: 4}}
YAML
"$THRONG" run frozen.yaml --engine slurm >frozen.out 2>&1 &
conductor=$!
check "frozen: the first trial runs" wait_for 60 test -e "$TMP/began"
echo 'echo "::throng loss=2"' >v.sh
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
: >"$TMP/edited"
run "$THRONG" run frozen.yaml --engine slurm
check_status "frozen: another conductor goes on" 0
check_equal "frozen: with the files that the study began with" '1.0 1.0 1.0 1.0' \
    "$(sqlite3 .throng/frozen/study.db 'select value from trials' | xargs)"
