# What a trial on a real Slurm has of its job: its own GPUs, or a part of one,
# beside others in the same job, and no sign of ranks that are not its own.
# The GPUs are pretended ones: Slurm counts and names them as it does real ones.
# timeout: 600
. "$(dirname "$0")/lib.sh"

# Each trial tells what it sees and waits until so many are there at once.
cat >see.sh <<'SH'
env | grep -E '^(SLURM|CUDA|PMI|OMPI|ROCR|GPU)' | sort >"$THRONG_OUTPUT/env"
mkdir -p "$1" && : >"$1/$THRONG_TRIAL"
tries=0
while [ "$(ls "$1" | wc -l)" -lt "$2" ] && [ $tries -lt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
echo ::throng together=$(ls "$1" | wc -l)
SH

study() { # NAME TRIALS RESOURCES TOGETHER MORE
    printf '%s\n' "command: [sh, see.sh, $PWD/$1.there, \"$4\"]" \
        'method: grid' 'metric: {name: together, goal: maximize}' \
        "resources: {$3}" \
        "parameters: {x: {distribution: int_uniform, min: 1, max: $2}}" \
        "${5:-}" >"$1.yaml"
    run "$THRONG" run "$1.yaml" --engine slurm
    check_status "$1: it runs to its end" 0
    check_equal "$1: every trial is done" "$2" \
        "$(sqlite3 ".throng/$1/study.db" \
            'select count(*) from trials where state = 3')"
    check "$1: $4 were there at once" test "$4" -le \
        "$(sqlite3 ".throng/$1/study.db" 'select cast(min(value) as integer) from trials')"
}

# What the trials have as this variable, one a line, sorted.
seen() { # NAME VARIABLE
    cat ".throng/$1"/trials/0/*/output/env | sed -n "s/^$2=//p" | sort
}

job_asks() { # NAME OPTION
    grep -h -- "^#SBATCH --$2" ".throng/$1"/jobs/*/job.sh | sort -u
}

# ---- GPUs -----------------------------------------------------------------------

study whole 8 'gpus: 1' 8 'parallel: 8'
check_equal "whole: a job asks for one GPU" '#SBATCH --gres=gpu:1' \
    "$(job_asks whole gres)"
check_equal "whole: on each of 4 nodes each of 2 GPUs has one trial" \
    "$(printf '0\n0\n0\n0\n1\n1\n1\n1')" "$(seen whole CUDA_VISIBLE_DEVICES)"

study pair 2 'gpus: 2' 1
check_equal "pair: a trial has both" "$(printf '0,1\n0,1')" \
    "$(seen pair CUDA_VISIBLE_DEVICES)"

# Two trials share a GPU, so that a job that has one runs two at once.
study half 16 'gpus: 0.5' 16 'parallel: 16'
check_equal "half: a job asks for one GPU" '#SBATCH --gres=gpu:1' \
    "$(job_asks half gres)"
check_equal "half: for two trials, that are there together" \
    '#SBATCH --cpus-per-task=2' "$(job_asks half cpus)"
check_equal "half: each GPU has two" 8 \
    "$(seen half CUDA_VISIBLE_DEVICES | grep -c '^0$')"

# Sites that name GPUs by their UUIDs: the setup of the job stands for them.
study uuids 2 'gpus: 1' 2 \
    'slurm: {job_slots: 2, setup: "export CUDA_VISIBLE_DEVICES=GPU-a1b2,MIG-c3"}'
check_equal "uuids: a trial is given a GPU by the name that Slurm has for it" \
    "$(printf 'GPU-a1b2\nMIG-c3')" "$(seen uuids CUDA_VISIBLE_DEVICES)"

study none 4 'cpus: 1' 1
check_equal "none: who asked for none sees none" '' \
    "$(seen none CUDA_VISIBLE_DEVICES | tr -d '\n')"

# ---- several trials at once in one job ----------------------------------------------

study slots 8 'cpus: 1, memory: 20M, gpus: 0.4' 4 'slurm: {job_slots: 4}'
check_equal "slots: needs are multiplied: cpus" '#SBATCH --cpus-per-task=4' \
    "$(job_asks slots cpus)"
check_equal "slots: memory" '#SBATCH --mem=80M' "$(job_asks slots mem)"
check_equal "slots: GPUs, of which none is cut" '#SBATCH --gres=gpu:2' \
    "$(job_asks slots gres)"
check_equal "slots: a trial sees its own cpu" 1 \
    "$(seen slots SLURM_CPUS_ON_NODE | sort -u)"
check_equal "slots: and its own memory" 20 \
    "$(seen slots SLURM_MEM_PER_NODE | sort -u)"
check_equal "slots: one GPU each, both are used" "$(printf '0\n1')" \
    "$(seen slots CUDA_VISIBLE_DEVICES | sort -u)"

study node 8 'cpus: 1' 4 'slurm: {job_slots: node}'
check_contains "node: whole nodes are asked for" "$(job_asks node exclusive)" \
    '#SBATCH --exclusive'
check_equal "node: with all of their cpus" '#SBATCH --cpus-per-task=4' \
    "$(job_asks node cpus)"

cat >large.yaml <<'YAML'
command: [sh, -c, 'exit 0']
method: grid
parameters: {x: {values: [1]}}
resources: {cpus: 3}
slurm: {job_slots: 2}
YAML
run "$THRONG" run large.yaml --engine slurm
check_status "large: a job that no node can hold is refused" 1
check_contains "large: in words" "$err" \
    'a job of 2 slots (job_slots)'

# ---- no ranks but one's own ------------------------------------------------------------

# A Slurm job that was itself started with ranks around it says so in its
# environment, and so do MPI's launchers: the setup of the job stands for them.
cat >detect.yaml <<YAML
program: $ROOT/tests/cluster/detect.py
command: [python3, "\${program}"]
method: grid
metric: {name: alone, goal: maximize}
parameters: {x: {distribution: int_uniform, min: 1, max: 4}}
slurm:
  job_slots: 2
  sbatch: ["--ntasks-per-node=1"]
  setup: |
    export SLURM_NTASKS=8 SLURM_PROCID=3 SLURM_LOCALID=3 SLURM_NODEID=1
    export SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=8 PMI_RANK=3 PMI_SIZE=8
    export PMIX_RANK=3 PMIX_NAMESPACE=x OMPI_COMM_WORLD_RANK=3
    export OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_RANK=3
YAML
run "$THRONG" run detect.yaml --engine slurm
check_status "detect: it runs to its end" 0
check_equal "detect: every trial takes itself for one process" 4 \
    "$(sqlite3 .throng/detect/study.db \
        'select count(*) from trials where state = 3 and value = 1')"
