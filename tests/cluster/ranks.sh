# Trials on several nodes: ranks that srun starts on a real Slurm.
# timeout: 600
. "$(dirname "$0")/lib.sh"

done_of() { # NAME
    sqlite3 ".throng/$1/study.db" 'select count(*) from trials where state = 3'
}

# Each rank writes who and where it is; the first one reports when all are
# there.
cat >rank.sh <<'SH'
mkdir -p "$THRONG_OUTPUT/ranks"
echo "$SLURM_PROCID of $SLURM_NTASKS on $SLURMD_NODENAME" \
    "with $CUDA_VISIBLE_DEVICES $OMP_NUM_THREADS" \
    >"$THRONG_OUTPUT/ranks/$SLURM_PROCID"
[ "$SLURM_PROCID" = 0 ] || exit 0
tries=0
while [ "$(ls "$THRONG_OUTPUT/ranks" | wc -l)" -lt "$SLURM_NTASKS" ]; do
    sleep 0.1
    tries=$((tries + 1))
    [ $tries -lt 600 ] || exit 1
done
echo ::throng ranks=$SLURM_NTASKS
SH

study() { # NAME RESOURCES TRIALS
    cat >"$1.yaml" <<YAML
command: [sh, rank.sh]
method: grid
metric: {name: ranks, goal: maximize}
resources: {$2}
parameters: {x: {distribution: int_uniform, min: 1, max: $3}}
YAML
    run "$THRONG" run "$1.yaml" --engine slurm
    check_status "$1: it runs to its end" 0
    check_equal "$1: every trial is done" "$3" "$(done_of "$1")"
}

ranks_of() { # NAME TRIAL
    cat ".throng/$1/trials/0/$2"/output/ranks/* | sort -n
}

job_asks() { # NAME OPTION
    grep -h -- "^#SBATCH --$2" ".throng/$1"/jobs/*/job.sh | sort -u
}

# ---- how they are laid out --------------------------------------------------------

study spread 'nodes: 2, ranks: 4' 3
check_equal "spread: the job has its nodes" '#SBATCH --nodes=2' \
    "$(job_asks spread nodes)"
check_equal "spread: and ranks" \
    "$(printf '#SBATCH --ntasks-per-node=2\n#SBATCH --ntasks=4')" \
    "$(job_asks spread ntasks)"
check_equal "spread: each rank has a cpu" '#SBATCH --cpus-per-task=1' \
    "$(job_asks spread cpus)"
check_equal "spread: all of them run, each once" "$(printf '%s\n' 0 1 2 3)" \
    "$(ranks_of spread 1 | awk '{ print $1 }')"
check_equal "spread: on two nodes" 2 \
    "$(ranks_of spread 2 | awk '{ print $5 }' | sort -u | wc -l)"
check_equal "spread: each knows how many there are" 4 \
    "$(ranks_of spread 3 | awk '{ print $3 }' | sort -u)"

study each 'ranks: 6, ranks_per_node: 2, cpus: 12' 1
check_equal "each: nodes follow from ranks_per_node" '#SBATCH --nodes=3' \
    "$(job_asks each nodes)"
check_equal "each: cpus are those of all ranks" '#SBATCH --cpus-per-task=2' \
    "$(job_asks each cpus)"
check_equal "each: of which each has its own" 2 \
    "$(ranks_of each 1 | awk '{ print $NF }' | sort -u)"

study gpus 'nodes: 2, gpus: 4' 1
check_equal "gpus: one rank on each node, which has its GPUs" \
    "$(printf '0,1\n0,1')" "$(ranks_of gpus 1 | awk '{ print $7 }')"

# ---- what cannot be --------------------------------------------------------------------

refused() { # NAME RESOURCES WORDS
    printf '%s\n' 'command: [sh, rank.sh]' 'method: grid' \
        'parameters: {x: {values: [1]}}' "resources: {$2}" >"$1.yaml"
    run "$THRONG" run "$1.yaml" --engine slurm
    check "$1: it is refused" test "$status" -ne 0
    check_contains "$1: in words" "$err" "$3"
}
refused nodes 'nodes: 9' 'only 4 nodes of the cluster have the part of one'
refused wide 'nodes: 2, ranks: 16' 'no node of the cluster has that'
refused uneven 'nodes: 2, gpus: 3' 'cannot be given to 2 nodes evenly'
refused full 'nodes: 2, ranks: 8, ranks_per_node: 2' '8 ranks do not fit'

# ---- one rank fails, one is stopped, one is too late -----------------------------------

cat >fails.yaml <<'YAML'
command: [sh, -c, '[ "$SLURM_PROCID" = 1 ] && exit 7; exec sleep 600']
method: grid
parameters: {x: {values: [1]}}
resources: {nodes: 2}
YAML
run "$THRONG" run fails.yaml --engine slurm
check_equal "fails: a rank that fails ends the others" 1 \
    "$(sqlite3 .throng/fails/study.db 'select count(*) from trials
        where state = 4')"
check "fails: no process of it is left" wait_for 30 none_left

cat >late.yaml <<'YAML'
command: [sh, -c, 'exec sleep 77077']
method: grid
parameters: {x: {distribution: int_uniform, min: 1, max: 2}}
resources: {nodes: 2, time: 2s}
grace: 1s
YAML
run "$THRONG" run late.yaml --engine slurm
check "late: no rank outlives its time" wait_for 30 \
    sh -c '! pgrep -f "sleep 7707[7]" >/dev/null'

cat >asked.sh <<'SH'
while [ ! -e "$THRONG_STOP" ]; do sleep 0.2; done
[ "$SLURM_PROCID" = 0 ] && echo saved >"$THRONG_CHECKPOINT/state"
exit 0
SH
cat >asked.yaml <<'YAML'
command: [sh, asked.sh]
method: grid
parameters: {x: {values: [1]}}
resources: {nodes: 2}
YAML
"$THRONG" run asked.yaml --engine slurm >asked.out 2>&1 &
conductor=$!
trial_runs() {
    "$THRONG" status asked | grep -q 'running  *1$'
}
check "asked: it runs" wait_for 60 trial_runs
run "$THRONG" stop asked 1
wait "$conductor"
check "asked: what is asked reaches all ranks" test -s \
    "$(ls -d .throng/asked/trials/0/1/checkpoint/state)"

# ---- PMIx --------------------------------------------------------------------------------

# On one node: pretended ones share /tmp, where Slurm makes a folder for each.
if ! srun --mpi=pmix true >pmix.out 2>&1; then
    skip "pmix: srun takes it" "$(head -n 1 pmix.out) (package libpmix-dev)"
else
    cat >pmix.yaml <<'YAML'
command: [sh, -c, 'echo "rank $PMIX_RANK of $SLURM_NTASKS"']
method: grid
parameters: {x: {values: [1]}}
resources: {ranks: 3}
slurm: {setup: export SLURM_MPI_TYPE=pmix}
YAML
    run "$THRONG" run pmix.yaml --engine slurm
    check_status "pmix: it runs to its end" 0
    check_equal "pmix: each rank has its number" \
        "rank 0 of 3 rank 1 of 3 rank 2 of 3" \
        "$("$THRONG" logs pmix 1 | sort | xargs)"
fi

# ---- real MPI -----------------------------------------------------------------------------

if ! command -v mpicc.mpich >/dev/null; then
    skip "mpi: ranks find each other" "no mpicc.mpich (package libmpich-dev)"
    exit 0
fi
cat >sum.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("::throng sum=%d size=%d\n", sum, size);
    MPI_Finalize();
    return 0;
}
C
check "mpi: a program of MPI is built" mpicc.mpich -o sum sum.c
cat >mpi.yaml <<'YAML'
command: [./sum]
method: grid
metric: {name: sum}
resources: {nodes: 2, ranks: 4}
parameters: {x: {values: [1, 2]}}
slurm: {setup: export SLURM_MPI_TYPE=pmi2}
YAML
run "$THRONG" run mpi.yaml --engine slurm
check_status "mpi: it runs to its end" 0
check_equal "mpi: ranks find each other" '6.0 6.0' \
    "$(sqlite3 .throng/mpi/study.db 'select value from trials' | xargs)"
