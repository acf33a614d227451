"""check.py FOLDER: the table of test MSE_p by scenario and method from the runs of run.sh, the missing runs, and whether the
order holds: the oracle best, both CaPEs below cross-entropy with early stopping, on the mean of the complete scenarios."""
import json
import pathlib
import sys

SCENARIOS = ["linear", "sigmoid", "centered", "skewed", "discrete"]
ROWS = [("CE, early stop", "start", "ce"), ("focal", "rivals", "focal"), ("entropy", "rivals", "entropy"),
        ("label smoothing", "rivals", "label-smoothing"), ("mixup", "rivals", "mixup"), ("MMCE", "rivals", "mmce"),
        ("ensemble of 5", "ensemble", "ce"), ("CaPE (bin)", "cape", "cape-bin"), ("CaPE (kernel)", "cape", "cape-kernel"),
        ("CE at CaPE's rate (control)", "control", "cape-bin"), ("CE, resampled labels (oracle)", "start", "ce-resampled")]


def mse_p(folder, grid, method, scenario):
    results = [json.loads(p.read_text()) for p in sorted((folder / grid).glob(f"{scenario}_{method}_*/result.json"))]
    return sum(r["test"]["mse_p"] for r in results) / len(results) if results else None


def main(folder):
    table = {name: {s: mse_p(folder, grid, method, s) for s in SCENARIOS} for name, grid, method in ROWS}
    print("| MSE_p x 100 | " + " | ".join(SCENARIOS) + " |\n" + "|---" * (len(SCENARIOS) + 1) + "|")
    for name, row in table.items():
        print(f"| {name} | " + " | ".join("missing" if row[s] is None else f"{100 * row[s]:.3f}" for s in SCENARIOS) + " |")
    main_rows = ["CE, resampled labels (oracle)", "CaPE (bin)", "CaPE (kernel)", "CE, early stop"]
    whole = [s for s in SCENARIOS if all(table[name][s] is not None for name in main_rows)]
    if not whole:
        print("no scenario has CE, both CaPEs and the oracle: the order was not checked")
        return 1
    oracle, bins, kernel, ce = (sum(table[name][s] for s in whole) / len(whole) for name in main_rows)
    holds = oracle < min(bins, kernel) and max(bins, kernel) < ce
    print(f"over {', '.join(whole)}: oracle {oracle:.5f}, CaPE (bin) {bins:.5f}, CaPE (kernel) {kernel:.5f}, CE {ce:.5f}: "
          f"the order {'holds' if holds else 'does not hold'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
