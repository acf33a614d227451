"""Writes dawid_skene.csv and dawid_skene.json beside it: simulated judgements, and what crowd-kit 1.4.1 (PyPI) makes of them.

    python3 -m venv e && e/bin/pip install crowd-kit==1.4.1 && e/bin/python tests/golden/dawid_skene.py
"""
import json
import pathlib

import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene

HERE = pathlib.Path(__file__).parent
ITEMS, CLASSES, RATERS = 300, 3, 5
rng = np.random.default_rng(11)
truth = rng.choice(CLASSES, ITEMS, p=[0.4, 0.3, 0.3])
confusion = [0.6 * np.eye(CLASSES) + 0.4 * rng.dirichlet(20 * np.ones(CLASSES), CLASSES) for _ in range(RATERS)]
rows = [(f"i{i:03}", f"r{r}", int(rng.choice(CLASSES, p=confusion[r][truth[i]])))
        for i in range(ITEMS) for r in sorted(rng.choice(RATERS, 4, replace=False))]
data = pd.DataFrame(rows, columns=["item", "rater", "label"])
data.to_csv(HERE / "dawid_skene.csv", index=False)
fit = DawidSkene(n_iter=20000, tol=0).fit(data.rename(columns={"item": "task", "rater": "worker"}))
posterior = {item: [float(p) for p in fit.probas_.loc[item, list(range(CLASSES))]] for item in fit.probas_.index}
errors = {f"r{r}": [[float(fit.errors_.loc[(f"r{r}", vote), k]) if (f"r{r}", vote) in fit.errors_.index else 0.0
                     for vote in range(CLASSES)] for k in range(CLASSES)] for r in range(RATERS)}
(HERE / "dawid_skene.json").write_text(json.dumps({"posterior": posterior, "confusion": errors}, indent=0) + "\n")
