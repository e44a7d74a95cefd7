"""compare.py - what bench/search compares with, and how

Standard library only.
"""

import csv
import math

# The least value of each problem that medians of others are known of.
LEAST = {"branin": 0.39788735772973816, "rosenbrock10": 0.0, "rastrigin5": 0.0,
         "mixed7": 9.408523e-09, "mixed7c": 9.408523e-09}


def read_peers(path, prefixes):
    """The best peer of each (problem, budget): (median, upper quartile,
    name), as regrets."""
    best = {}
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            name, problem = row["method"], row["problem"]
            if row["kind"] != "single" or problem not in LEAST:
                continue
            if "/q=" in name or not name.startswith(prefixes):
                continue
            key = problem, int(row["budget"])
            cell = (float(row["median"]) - LEAST[problem],
                    float(row["q75"]) - LEAST[problem], name)
            if key not in best or cell < best[key]:
                best[key] = cell
    return best


def mann_whitney(ours, theirs):
    """The chance of what is seen, or of worse, if ours were not higher than
    theirs: by the normal approximation, corrected for ties and continuity.
    Low: ours are significantly higher."""
    both = sorted((value, which) for which, values in enumerate((ours, theirs))
                  for value in values)
    n, m = len(ours), len(theirs)
    ranks, ties, at = 0.0, 0.0, 0
    while at < len(both):
        end = at
        while end < len(both) and both[end][0] == both[at][0]:
            end += 1
        mean = (at + 1 + end) / 2
        ranks += mean * sum(which == 0 for _, which in both[at:end])
        ties += (end - at) ** 3 - (end - at)
        at = end
    above = ranks - n * (n + 1) / 2
    total = n + m
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return 1.0
    z = (above - n * m / 2 - 0.5) / math.sqrt(variance)
    return 0.5 * math.erfc(z / math.sqrt(2))


def holm(cells, level):
    """Those cells (tuples that begin with p) that stay significant when all
    are tested together."""
    kept = []
    for i, cell in enumerate(sorted(cells)):
        if cell[0] > level / (len(cells) - i):
            break
        kept.append(cell)
    return kept
