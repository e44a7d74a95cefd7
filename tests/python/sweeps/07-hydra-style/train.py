"""Overrides as Hydra reads them."""
import sys

overrides = dict(word.split("=", 1) for word in sys.argv[1:])
assert overrides.pop("experiment") == "base"
assert sorted(overrides) == ["data.batch-size", "model.lr",
                             "trainer.max_epochs"], overrides
for epoch in range(int(overrides["trainer.max_epochs"])):
    print("::throng step=%d loss=%g" % (epoch, float(overrides["model.lr"])))
