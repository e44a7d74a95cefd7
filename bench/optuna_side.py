"""optuna_side.py - Optuna on the problems of search_bench

    optuna_side.py quality SEARCH_BENCH SAMPLER PROBLEM SEED
    optuna_side.py cost SAMPLER N...

Run by bench/search with the interpreter that has Optuna. Prints what
search_bench prints: "results seed regret repeated", and "N microseconds".
"""

import json
import random
import statistics
import subprocess
import sys
import time
import warnings

import optuna

warnings.simplefilter("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)
TRIALS, ROUNDS = 200, 15


def sampler_of(name, seed):
    samplers = optuna.samplers
    return {
        "random": lambda: samplers.RandomSampler(seed=seed),
        "tpe": lambda: samplers.TPESampler(seed=seed),
        "tpe-mv": lambda: samplers.TPESampler(seed=seed, multivariate=True,
                                              group=True),
        "cmaes": lambda: samplers.CmaEsSampler(seed=seed,
                                               warn_independent_sampling=False),
        "nsga2": lambda: samplers.NSGAIISampler(seed=seed),
    }[name.replace("optuna:", "")]()


def suggest(trial, p):
    name, kind = p["name"], p["distribution"]
    if kind == "categorical":
        return trial.suggest_categorical(name, p["values"])
    if kind == "int_uniform":
        return trial.suggest_int(name, p["min"], p["max"])
    if kind == "q_log_uniform_values":
        return trial.suggest_int(name, p["min"], p["max"], log=True)
    return trial.suggest_float(name, p["min"], p["max"],
                               log=kind == "log_uniform_values")


def in_order(parameters):
    """What others depend on comes first."""
    return sorted(parameters, key=lambda p: "when" in p)


def point_of(trial, parameters):
    point = {}
    for p in parameters:
        if all(point.get(c["name"]) in c["values"] for c in p.get("when", [])):
            point[p["name"]] = suggest(trial, p)
    return point


def quality(program, sampler, problem, seed):
    space = subprocess.run([program, "space", problem], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    parameters = in_order(json.loads(space)["parameters"])
    judge = subprocess.Popen([program, "evaluate", problem], text=True,
                             bufsize=1, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    study = optuna.create_study(sampler=sampler_of(sampler, int(seed)))
    best, seen, repeated = float("inf"), set(), 0
    for told in range(1, TRIALS + 1):
        trial = study.ask()
        text = json.dumps(point_of(trial, parameters))
        repeated += text in seen
        seen.add(text)
        judge.stdin.write(text + "\n")
        value = float(judge.stdout.readline())
        study.tell(trial, value)
        best = min(best, value)
        if told in (50, 100, TRIALS):
            print(told, seed, "%.10g" % best, repeated)
    judge.stdin.close()
    judge.wait()


def step(study, dimensions=8):
    trial = study.ask()
    x = [trial.suggest_float("x%d" % i, 0, 1) for i in range(dimensions)]
    study.tell(trial, sum((v - 0.3) ** 2 for v in x))


def fill(study, count):
    """Random results, but those of samplers that remember their own way."""
    floats = {"x%d" % i: optuna.distributions.FloatDistribution(0, 1)
              for i in range(8)}
    generator = random.Random(1)
    for _ in range(count):
        x = {name: generator.random() for name in floats}
        study.add_trial(optuna.trial.create_trial(
            params=x, distributions=floats,
            value=sum((v - 0.3) ** 2 for v in x.values())))


def cost(sampler, sizes):
    for n in map(int, sizes):
        study = optuna.create_study(sampler=sampler_of(sampler, 1))
        if sampler in ("cmaes", "nsga2"):
            for _ in range(n):
                step(study)
        else:
            fill(study, n)
        took = []
        for _ in range(ROUNDS):
            before = time.perf_counter()
            step(study)
            took.append(time.perf_counter() - before)
        print(n, statistics.median(took) * 1e6)


if __name__ == "__main__":
    if sys.argv[1] == "quality":
        quality(*sys.argv[2:])
    else:
        cost(sys.argv[2], sys.argv[3:])
