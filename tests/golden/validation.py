"""Golden values of net benefit (dcurves 1.1.7), of the CORP parts (model-diagnostics 1.5.0) and of scores (scikit-learn).

python3 tests/golden/validation.py > tests/golden/validation.csv, in an environment with these packages from PyPI. The
data are those of curves.R: made by a formula, so that any program can make them.
"""
import dcurves
import numpy as np
import pandas as pd
from model_diagnostics.scoring import LogLoss, SquaredError, decompose
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

i = np.arange(400)
u = (i * 0.6180339887498949) % 1
v = (i * 0.7548776662466927 + 0.3) % 1
p = 0.02 + 0.9 * u ** 1.5
y = (v < p ** 1.3).astype(int)

print("key,value")
table = dcurves.dca(data=pd.DataFrame({"y": y, "p": p}), outcome="y", modelnames=["p"], thresholds=[0.05, 0.1, 0.2, 0.35, 0.5, 0.75])
for _, row in table.iterrows():
    if row["model"] != "none":
        print(f"net_benefit {row['model']} {row['threshold']:g},{row['net_benefit']:.17g}")
for prefix, score in (("", SquaredError()), ("log_", LogLoss())):
    parts = decompose(y_obs=y, y_pred=p, scoring_function=score).to_dicts()[0]
    for ours, theirs in (("mcb", "miscalibration"), ("dsc", "discrimination"), ("unc", "uncertainty")):
        print(f"{prefix}{ours},{parts[theirs]:.17g}")
print(f"brier,{brier_score_loss(y, p):.17g}")
print(f"nll,{log_loss(y, p):.17g}")
print(f"auroc,{roc_auc_score(y, p):.17g}")
print(f"auprc,{average_precision_score(y, p):.17g}")
