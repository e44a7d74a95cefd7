"""A genetic algorithm with the shape of EMEWS's DEAP drivers: it talks through
the two queues of eqpy and knows nothing of throng."""

import json
import random

import eqpy


def queue_map(obj_func, pops):
    if not pops:
        return []
    eqpy.OUT_put(";".join(json.dumps({"x": i[0], "y": i[1]}) for i in pops))
    return [(float(x),) for x in eqpy.IN_get().split(";")]


def mutate(x):
    return min(5, max(-5, x + random.gauss(0, 0.5)))


def run():
    eqpy.OUT_put("Params")
    parameters = eqpy.IN_get()
    print("Parameters: {}".format(parameters))
    (num_iter, num_pop, seed) = eval("{}".format(parameters))
    random.seed(seed)
    pop = [[random.uniform(-5, 5), random.uniform(-5, 5)]
           for _ in range(num_pop)]
    fits = queue_map(None, pop)
    for _ in range(num_iter):
        order = sorted(range(num_pop), key=lambda i: fits[i])
        best = [pop[i] for i in order[:num_pop // 2]]
        children = [[mutate(random.choice(best)[k]) for k in range(2)]
                    for _ in range(num_pop - len(best))]
        new = queue_map(None, children)
        pop = best + children
        fits = [fits[i] for i in order[:num_pop // 2]] + new
    eqpy.OUT_put("DONE")
    eqpy.OUT_put("best: {}".format(min(fits)))
