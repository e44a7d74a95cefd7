"""`throng compare` says what scipy says of the same numbers."""

import json
import math
import random
import subprocess
import unittest

import of_debian

try:
    import scipy.stats
except ImportError:
    scipy = None

from place import THRONG, InFolder  # noqa: E402

SETS = "abcdefgh"
FOLDS = (1, 2, 3, 4)


@unittest.skipUnless(scipy, "scipy is not installed (python3-scipy)")
class Compare(InFolder):
    """One study: three templates on eight data sets, four folds, and two
    bootstraps of each."""

    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        self.values = {}
        with open("points.jsonl", "w") as points:
            for t in (1, 2, 3):
                for s in SETS:
                    for f in FOLDS:
                        for b in (1, 2):
                            v = draw.gauss(t / 5, .4)
                            self.values.setdefault((t, s, f), []).append(v)
                            points.write(json.dumps(
                                {"template": t, "dataset": s, "fold": f,
                                 "draw": b, "v": v}) + "\n")
        with open("study.yaml", "w") as study:
            study.write('command: [throng, report, "loss={v}"]\n'
                        "metric: {name: loss}\npoints: points.jsonl\n")
        subprocess.run([THRONG, "run", "study.yaml", "--quiet"], check=True,
                       capture_output=True)

    def compare(self, *words):
        done = subprocess.run([THRONG, "compare", "study", "--json", *words],
                              check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def cell(self, t, s, f):
        list = self.values[t, s, f]
        return sum(list) / len(list)

    def close(self, a, b, room=1e-10):
        self.assertTrue(math.isclose(a, b, rel_tol=room, abs_tol=1e-14),
                        (a, b))

    def test_folds_are_the_corrected_t_test(self):
        d = self.compare("--over", "fold", "--ratio", "1/3", "--where",
                         'dataset="c"', "template=1", "template=2")
        a, b = ([self.cell(t, "c", f) for f in FOLDS] for t in (1, 2))
        n = len(FOLDS)
        diff = [x - y for x, y in zip(a, b)]
        mean = sum(diff) / n
        var = sum((x - mean) ** 2 for x in diff) / (n - 1)
        t = mean / math.sqrt((1 / n + 1 / 3) * var)
        test = d["tests"][0]
        self.close(test["statistic"], t)
        self.close(test["p"], 2 * scipy.stats.t.sf(abs(t), n - 1))
        reach = scipy.stats.t.isf(.025, n - 1) * mean / t
        self.close(test["high"], mean + reach, 1e-8)
        self.close(test["low"], mean - reach, 1e-8)

    def test_without_a_correction_it_is_the_paired_one(self):
        d = self.compare("--over", "fold", "--ratio", "0", "--where",
                         'dataset="c"', "template=1", "template=3")
        a, b = ([self.cell(t, "c", f) for f in FOLDS] for t in (1, 3))
        want = scipy.stats.ttest_rel(a, b)
        self.close(d["tests"][0]["statistic"], want.statistic)
        self.close(d["tests"][0]["p"], want.pvalue)

    def test_data_sets_are_signed_ranks_and_holm_adjusts(self):
        d = self.compare("--over", "dataset,fold", "--ratio", "1/3",
                         "template=1", "template=2", "template=3")
        tests = [t for t in d["tests"] if t["test"] == "wilcoxon"]
        mean = {(t, s): sum(self.cell(t, s, f) for f in FOLDS) / len(FOLDS)
                for t in (1, 2, 3) for s in SETS}
        for test, (x, y) in zip(tests, ((1, 2), (1, 3), (2, 3))):
            want = scipy.stats.wilcoxon([mean[x, s] for s in SETS],
                                        [mean[y, s] for s in SETS])
            self.close(test["p"], want.pvalue)
            self.close(test["statistic"], want.statistic)
        order = sorted(tests, key=lambda t: t["p"])
        most = 0
        for i, test in enumerate(order):
            most = max(most, min(1, test["p"] * (len(order) - i)))
            self.close(test["p_holm"], most)

    def test_the_interval_of_a_mean_is_that_of_t(self):
        done = subprocess.run(
            [THRONG, "rank", "study", "--over", "fold,draw,dataset,v", "-n",
             "0", "--json"], check=True, capture_output=True, text=True)
        for group in json.loads(done.stdout)["groups"]:
            t = group["params"]["template"]
            values = [v for k, list in self.values.items() if k[0] == t
                      for v in list]
            low, high = scipy.stats.t.interval(
                .95, len(values) - 1, sum(values) / len(values),
                scipy.stats.sem(values))
            self.close(group["low"], low, 1e-8)
            self.close(group["high"], high, 1e-8)


if __name__ == "__main__":
    unittest.main()
