"""page.py [FOLDER...]: keeps the results of "plumb reproduce -o FOLDER" in experiments/PAPER/results, and makes docs/reproduce.md from
all results that are kept. A result in full replaces one of the quick form, not the other way round."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kit import catalogue  # noqa: E402
from kit.claims import FAILS, HOLDS, region_text  # noqa: E402
from kit.report import counts, ours, rows_of  # noqa: E402

PAPERS = {"mimori": "Mimori et al. 2021, Diagnostic uncertainty calibration", "riera": "Riera-Marin et al. 2025, Multi-rater calibration error estimation",
          "finlay": "Finlay and Oberman 2022, Expected odds ratio", "liu": "Liu et al. 2022, Deep probability estimation",
          "laves": "Laves et al. 2021, Recalibration of regression uncertainty"}

HEAD = """# The claims of five papers, repeated

Plumb computes the metrics and methods of five papers. This page lists what these papers claim and what came out when
the claims were tested with Plumb. It is made by `experiments/page.py` from the results in `experiments/*/results`, and
no verdict is set by hand.

```sh run
plumb reproduce --list
plumb reproduce finlay-examples --quick -o reproduced
```

`plumb reproduce all --quick -o reproduced` runs all of them in a short form, each in two minutes or less on two cores.
Without `--quick` they run in full, with the times below. A run that was interrupted continues where it stopped: start
the same command again. Each experiment writes `result.json`, `report.md` with its tables, and charts; `claims.md` has
the claims of all. The experiments need python3 with numpy; those that train need `plumb-train`
([training](train.md)).

**How to read a verdict.** Each claim was written down with a region for our value before the run
(`experiments/PAPER/NAME.json`). The verdict compares it with the 95% interval of our value: the claim *holds* if the
interval is inside the region, *does not hold* if it is outside, and is *not settled* if it crosses the border. *Not
testable here* says what is missing. A claim about all rows of a table is tested on the row furthest from it. The short
form has small networks and few repetitions: a claim that does not hold there may hold in full, and a verdict of the
short form is about the short form. Where our data are not those of the paper, the numbers printed in the paper are
shown for comparison only, and the region is that of the claim.

**Data.** `--data DIR` (or the environment variable `PLUMB_DATA`) names a folder with measured data, which are not part
of Plumb. Without it the claims that need them are not testable.

"""

DATA = [("`cifar10h-counts.npy`", "10,000 x 10 votes of CIFAR-10H", "Riera-Marin, Mimori"),
        ("`plambda_cifar10_vgg16_probs.npy`, `plambda_cifar10_labels.npy`", "softmax of a VGG16 on the test images of CIFAR-10, labels", "Riera-Marin, Mimori, Finlay"),
        ("`nli/chaosnli_snli.csv`", "100 votes and logits for sentence pairs of ChaosNLI", "Riera-Marin, Mimori"),
        ("`drive_wnet_2rater_fov.npz`", "vessel probabilities and two raters' masks of 20 retinal images", "Riera-Marin"),
        ("`regression/qm9_qm9_E_uncalibrated_validation.csv`, `..._test.csv`", "energies of QM9, predictions and variances of an ensemble", "Laves"),
        ("`cape_utkface_unif_*.csv`", "forecasts of four networks on UTKFace and the true risks", "Liu"),
        ("`mnist/`", "idx files of MNIST (drawn digits otherwise)", "Mimori, Finlay"),
        ("`cifar-10-batches-bin/`", "the binary version of CIFAR-10", "Liu"),
        ("`imagenet_probs.npy`, `imagenet_labels.npy`, `cifar100_probs.npy`, `cifar100_labels.npy`", "softmax outputs and labels of your own networks", "Finlay")]


def results_of(declared):
    path = catalogue.ROOT / declared["folder"] / "results" / (declared["name"] + ".json")
    return json.loads(path.read_text()) if path.exists() else None


def keep(folder):
    known = catalogue.experiments()
    for path in sorted(pathlib.Path(folder).glob("*/result.json")):
        result = json.loads(path.read_text())
        declared = known[result["experiment"]]
        old = results_of(declared)
        if old is not None and old["mode"] == "full" and result["mode"] == "quick":
            continue
        to = catalogue.ROOT / declared["folder"] / "results" / (declared["name"] + ".json")
        to.parent.mkdir(exist_ok=True)
        to.write_text(json.dumps(result, indent=1) + "\n")


def page():
    known = catalogue.experiments()
    kept = {name: results_of(declared) for name, declared in known.items()}
    why = json.loads((catalogue.ROOT / "why.json").read_text())
    text = HEAD + rows_of(["file", "content", "used for"], DATA)
    text += "\nOf all claims: " + counts([r for r in kept.values() if r]) + ".\n\n## Experiments\n\n"
    text += rows_of(["experiment", "what", "this page shows", "took", "expected in full"],
                    [[f"`{name}`", catalogue.headline(declared),
                      "not run" if kept[name] is None else "the short form" if kept[name]["mode"] == "quick" else "the full run",
                      "" if kept[name] is None else f"{kept[name]['seconds']:.0f} s", declared["full"]] for name, declared in known.items()])
    machines = sorted({r["machine"] for r in kept.values() if r})
    text += f"\nThe times are from {', '.join(machines)}, which other programs used at the same time. Seeds are fixed in the scripts.\n"
    for paper, title in PAPERS.items():
        text += f"\n## {title}\n"
        for name, declared in known.items():
            if declared["folder"] != paper:
                continue
            result = kept[name]
            quick = " --quick" if result and result["mode"] == "quick" else ""
            text += f"\n### {name}\n\n{declared['what']}\n"
            if declared.get("substitute"):
                text += f"\n*Data.* {declared['substitute']}\n"
            text += f"\n`plumb reproduce {name}{quick} --data DIR -o DIR`\n\n"
            if result is None:
                text += rows_of(["claim", "verdict", "printed in the paper", "holds if ours is"],
                                [[c["claim"], "not run", c["paper"], region_text(c["region"])] for c in declared["claims"]])
                continue
            text += rows_of(["claim", "verdict", "ours (95% interval)", "printed in the paper", "holds if ours is"],
                            [[c["claim"], f"**{c['verdict']}**" if c["verdict"] in (HOLDS, FAILS) else c["verdict"], ours(c), c["paper"], region_text(c["region"])]
                             for c in result["claims"]])
            failed = [c["key"] for c in result["claims"] if c["verdict"] == FAILS]
            text += "".join(f"\n{why[name + '.' + key]}\n" for key in failed if why.get(name + "." + key))
    return wrapped(text)


def wrapped(text, width=120):
    """Prose of at most 120 characters a line; tables, code and headings as they are."""
    out = []
    for line in text.splitlines():
        if len(line) <= width or line.startswith(("|", "`", "#", "    ")):
            out.append(line)
            continue
        now = ""
        for word in line.split(" "):
            if now and len(now) + 1 + len(word) > width:
                out.append(now)
                now = word
            else:
                now = f"{now} {word}".strip()
        out.append(now)
    return "\n".join(out) + "\n"


def main():
    for folder in sys.argv[1:]:
        keep(folder)
    (catalogue.ROOT.parent / "docs" / "reproduce.md").write_text(page())


if __name__ == "__main__":
    main()
