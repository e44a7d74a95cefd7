"""What a training framework makes of its environment

Lightning looks at variables to find out whether it is one of several processes;
so do MPI libraries and Horovod. These are its rules, written anew: where one of
them says that there are others, it would wait for them for ever.
"""
import os


def number(name, unsaid):
    return int(os.environ.get(name, unsaid))


def under_slurm():
    """It was started by srun, and not from an interactive shell."""
    name = os.environ.get("SLURM_JOB_NAME")
    return "SLURM_NTASKS" in os.environ and name not in ("bash", "interactive")


def worlds():
    """(who says so, processes, which of them this one is)"""
    if under_slurm():
        yield "slurm", number("SLURM_NTASKS", 1), number("SLURM_PROCID", 0)
    for name, size, rank in (
            ("step", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
            ("torchrun", "WORLD_SIZE", "RANK"),
            ("lsf", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"),
            ("pmi", "PMI_SIZE", "PMI_RANK"),
            ("open mpi", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK")):
        if size in os.environ or rank in os.environ:
            yield name, number(size, 1), number(rank, 0)
    if "PMIX_RANK" in os.environ or "PMIX_NAMESPACE" in os.environ:
        yield "pmix", number("PMIX_SIZE", 2), number("PMIX_RANK", 0)


def rank_zero():
    """Only this process prints and saves."""
    for name in ("RANK", "LOCAL_RANK", "SLURM_PROCID", "SLURM_LOCALID",
                 "JSM_NAMESPACE_RANK"):
        if name in os.environ:
            return int(os.environ[name]) == 0
    return True


others = [w for w in worlds() if w[1] > 1 or w[2] > 0]
nodes = number("SLURM_NNODES", 1)
print(f"::throng alone={int(not others and rank_zero() and nodes == 1)}")
print("others:", others, "nodes:", nodes)
