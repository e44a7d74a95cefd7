"""Algorithms written for EMEWS, as they are, under `method: external`.

    external: {command: [python3, -m, throng.emews, ga.py, "5, 16, 1, 'p.json'"]}

Such an algorithm (ga.py) talks through two queues of the module eqpy: it asks
for its settings by eqpy.OUT_put("Params") and eqpy.IN_get(), then posts sets
of parameters, joined by `;`, and gets their results back in the same form. It
ends with "DONE" and a last word. throng.emews.bridge has the queues and speaks
with throng; eqr.R is the same for algorithms in R.
"""
