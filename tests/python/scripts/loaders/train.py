"""Data loaders in forked processes, as torch's are; one of them logs."""
import argparse
import multiprocessing
import os
import sys

import wandb


def load(index, queue):
    queue.put((index, wandb.config.workers))
    wandb.log({"loss": 1000.0, "loader": index})  # left out, as with W&B
    sys.exit(0)


def raw_fork():
    pid = os.fork()
    if pid == 0:
        wandb.log({"loss": 2000.0})
        sys.exit(0)  # runs what atexit holds
    os.waitpid(pid, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int)
    args = parser.parse_args()
    wandb.init(config=args)
    wandb.run.summary["samples"] = 10 * args.workers
    fork = multiprocessing.get_context("fork")
    for epoch in range(3):
        queue = fork.Queue()
        loaders = [fork.Process(target=load, args=(i, queue))
                   for i in range(args.workers)]
        for loader in loaders:
            loader.start()
        seen = [queue.get() for _ in loaders]
        for loader in loaders:
            loader.join()
            assert loader.exitcode == 0
        raw_fork()
        wandb.log({"loss": 3.0 - epoch + 0 * len(seen)})


main()
