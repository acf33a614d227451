"""Plugin and debiased CL and DL of an ideal predictor (Mimori 2021, Fig. 1 and appendix B)."""
import numpy as np
from kit.chart import chart
from kit.claims import every, magnitude, mean_of

METRICS = ("cl_plugin", "cl", "dl_plugin", "dl")


def run(x):
    sizes, runs = (100, 316, 1000, 3162, 10000), x.size(30, 400)
    seen, rows = {}, []
    for votes in (2, 5):
        for n in sizes:
            for r in range(runs):
                rng = np.random.default_rng([1, votes, n, r])
                p = rng.uniform(size=n)
                hits = rng.binomial(votes, p)
                x.save("p.npy", p)
                x.save("c.npy", np.stack([votes - hits, hits], axis=1))
                got = x.evaluate("--probs", "p.npy", "--counts", "c.npy", "--metrics", ",".join(METRICS), "--bins", "15")["metrics"]
                seen.setdefault((votes, n), []).append([got[m]["value"] for m in METRICS])
    found, curves = {}, {"CL": {}, "DL": {}}
    bias, closer = {"cl": {}, "dl": {}}, {"cl": {}, "dl": {}}
    for (votes, n), values in seen.items():
        v = np.array(values)
        for k, name in ((0, "cl"), (2, "dl")):
            label = f"{votes} votes, N = {n}"
            plugin = v[:, k].mean()
            bias[name][label] = mean_of(v[:, k + 1] / plugin)
            closer[name][label] = mean_of(np.abs(v[:, k]) - np.abs(v[:, k + 1]))
            ours = mean_of(v[:, k + 1])
            rows.append([name.upper(), votes, n, plugin, ours.value, ours.low, ours.high])
    for name in ("cl", "dl"):
        found[name + "_bias"], found[name + "_closer"] = every({k: magnitude(row) for k, row in bias[name].items()}, below=True), every(closer[name], below=False)
        for votes in (2, 5):
            mine = [row for row in rows if row[0] == name.upper() and row[1] == votes]
            axis = [np.log10(row[2]) for row in mine]
            curves[name.upper()][f"debiased, {votes} votes"] = (axis, [r[4] for r in mine], [r[5] for r in mine], [r[6] for r in mine])
            curves[name.upper()][f"plugin, {votes} votes"] = (axis, [r[3] for r in mine])
        x.chart(name, f"Fig. 1: {name.upper()} of an ideal predictor, mean over runs with 95% intervals", chart(curves[name.upper()], "log10 N", name.upper(), zero=0))
    x.table(f"Means over {runs} runs (seeds [1, votes, N, run])", ["", "votes", "N", "plugin", "debiased", "low", "high"], rows)
    return found
