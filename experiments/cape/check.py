"""check.py grid.csv: the table of test MSE_p by scenario and method, what is missing, and whether the order holds."""
import csv
import sys

ORDER = ["ce", "focal", "entropy", "mmce", "cape-bin", "cape-kernel", "ce-resampled"]


def main(path):
    cells, missing = {}, []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["status"] == "done" and row["test_mse_p"]:
                cells.setdefault((row["method"], row["data"]), []).append(float(row["test_mse_p"]))
            else:
                missing.append(row["cell"])
    scenarios = sorted({data for _, data in cells})
    methods = [m for m in ORDER if any(method == m for method, _ in cells)]
    print("| MSE_p x 100 | " + " | ".join(scenarios) + " |")
    print("|---" * (len(scenarios) + 1) + "|")
    mean = {key: sum(values) / len(values) for key, values in cells.items()}
    for m in methods:
        print(f"| {m} | " + " | ".join(f"{100 * mean[m, s]:.3f}" if (m, s) in mean else "missing" for s in scenarios) + " |")
    print("missing cells: " + (", ".join(missing) or "none"))
    main_methods = ["ce", "cape-bin", "cape-kernel", "ce-resampled"]
    whole = [s for s in scenarios if all((m, s) in mean for m in main_methods)]
    if not whole:
        print("no scenario has ce, both CaPEs and the oracle: the order was not checked")
        return 1
    ce, bins, kernel, oracle = (sum(mean[m, s] for s in whole) / len(whole) for m in main_methods)
    holds = oracle < min(bins, kernel) and max(bins, kernel) < ce
    print(f"over {', '.join(whole)}: oracle {oracle:.5f}, cape-bin {bins:.5f}, cape-kernel {kernel:.5f}, ce {ce:.5f}: "
          f"the order {'holds' if holds else 'does not hold'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
