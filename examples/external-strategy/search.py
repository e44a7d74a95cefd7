"""A strategy of one's own: random points first, then steps around the best.

throng says on standard input what happens, one JSON object to a line; this
program says on standard output which points to try. What is for people goes
to standard error, which throng keeps in external.log.
"""
import json
import random
import sys

points = {}  # by number, what was suggested
best = None  # (value, point)


def suggest(space):
    if best is None or len(points) < 8:
        return {p["name"]: random.uniform(p["min"], p["max"]) for p in space}
    step = 0.3 * 0.97 ** len(points)
    return {p["name"]: min(p["max"], max(p["min"], best[1][p["name"]] + step *
                                         random.gauss(0, p["max"] - p["min"])))
            for p in space}


def learn(point, value):
    global best
    if value is not None and (best is None or value < best[0]):
        best = (value, point)


for line in sys.stdin:
    said = json.loads(line)
    if "study" in said:
        space = said["study"]["space"]["parameters"]
        random.seed(said["study"]["seed"])
    elif "told" in said:  # a result from before, when a study goes on
        told = said["told"]
        if "id" in told:
            points[told["id"]] = told["params"]
        learn(told["params"], told.get("value"))
    elif "tell" in said:
        learn(points[said["tell"]], said.get("value"))
    elif "ask" in said:
        trials = []
        for number in range(said["first"], said["first"] + said["ask"]):
            points[number] = suggest(space)
            trials.append({"id": number, "params": points[number]})
        print(json.dumps({"trials": trials}), flush=True)
