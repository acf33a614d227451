"""Runs the experiments; "plumb reproduce" starts this file.

reproduce.py NAME... -o DIR [--quick] [--data DIR]: measures the claims of these experiments ("all": of all) and writes, for each,
DIR/NAME/result.json, report.md and charts, and DIR/claims.md with all claims. reproduce.py --list names them.
Finished trainings and results are kept: start it again after an interruption.
"""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
try:
    import numpy  # noqa: F401
except ImportError:
    debian = "/usr/bin/python3"  # another python3 may come first on the PATH
    if os.path.exists(debian) and os.environ.get("PLUMB_REPRODUCE_AGAIN") is None:
        os.environ["PLUMB_REPRODUCE_AGAIN"] = "1"
        os.execv(debian, [debian, *sys.argv])
    print("plumb: \"plumb reproduce\" needs numpy for python3; on Debian install python3-numpy", file=sys.stderr)
    sys.exit(2)

from kit import catalogue, report  # noqa: E402
from kit.claims import Measured, Missing, verdict  # noqa: E402
from kit.tool import NO_TRAIN, PLUMB, Failed, Setting  # noqa: E402

KEPT = ("claim", "paper", "region")


def machine():
    model = platform.machine()
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{os.cpu_count()} cores ({model})"


def measure(declared, x):
    if declared.get("train") and not x.has_train():
        return {claim["key"]: Missing(NO_TRAIN) for claim in declared["claims"]}
    needed = [name for name in declared.get("data", []) if x.file(name) is None]
    if needed:
        return {claim["key"]: Missing(f"{needed[0]} is not in --data") for claim in declared["claims"]}
    return catalogue.script(declared).run(x)


def described(measured):
    if isinstance(measured, Missing):
        return {"missing": measured.why}
    return {"value": measured.value, "low": measured.low, "high": measured.high, "interval": measured.how, "note": measured.note}


def run(declared, out, data, quick):
    """Runs one experiment and returns its result, which is also written."""
    mode = "quick" if quick else "full"
    x = Setting(declared["name"], [claim["key"] for claim in declared["claims"]], pathlib.Path(out) / declared["name"], data, quick)
    # A folder belongs to one mode and one data folder, so that nothing kept there comes from another.
    stamp = x.out / "run.json"
    this = {"mode": mode, "data": str(x.data) if x.data else None}
    if stamp.exists() and json.loads(stamp.read_text()) != this:
        raise Failed(f"{x.out} has another run (quick or full, or other data); give a new folder with -o")
    stamp.write_text(json.dumps(this) + "\n")
    begun = time.monotonic()
    try:
        got = measure(declared, x)
    except Failed:
        raise
    except Exception as error:  # of one experiment; the others go on
        (x.out / "error.txt").write_text(traceback.format_exc())
        raise Failed(f"{declared['name']} stopped ({type(error).__name__}: {error}); {x.out / 'error.txt'} says where") from error
    claims = []
    for claim in declared["claims"]:
        measured = got[claim["key"]]
        assert isinstance(measured, (Measured, Missing)), claim["key"]
        claims.append({"key": claim["key"], **{k: claim[k] for k in KEPT}, "ours": described(measured),
                       "verdict": verdict(measured, claim["region"])})
    version = subprocess.run([PLUMB, "--version"], capture_output=True, text=True).stdout.split()[-1]
    result = {"experiment": declared["name"], "paper": declared["paper"], "what": declared["what"], "mode": mode, "plumb": version,
              "seconds": round(time.monotonic() - begun, 1), "machine": machine(), "substitute": declared.get("substitute", ""),
              "claims": claims, "notes": x.notes, "tables": x.tables, "charts": x.charts}
    for name, text in (("report.md", report.report(result)), ("result.json", json.dumps(result, indent=1) + "\n")):
        part = x.out / (name + ".part")
        part.write_text(text)
        part.rename(x.out / name)
    return result


def listing(known):
    lines = [f"{'name':18} {'paper':18} {'in full':28} what"]
    for name, declared in known.items():
        lines.append(f"{name:18} {declared['paper']:18} {declared['full']:28} {catalogue.headline(declared)}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="plumb reproduce", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", default=os.environ.get("PLUMB_DATA"))
    parser.add_argument("-o", "--out")
    args = parser.parse_args()
    known = catalogue.experiments()
    if args.list:
        print(listing(known))
        return 0
    names = list(known) if args.names == ["all"] else args.names
    for name in names:
        if name not in known:
            raise Failed(f"there is no experiment \"{name}\"; \"plumb reproduce --list\" names them")
    if args.data and not pathlib.Path(args.data).is_dir():
        raise Failed(f"there is no folder {args.data} (--data)")
    results, broken = [], []
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            results.append(run(known[name], args.out, args.data, args.quick))
        except Failed as failed:
            if len(names) == 1:
                raise
            broken.append(name)
            print(f"plumb: {name}: {failed}", file=sys.stderr)
            continue
        r = results[-1]
        print(f"{name}: {report.counts([r])} ({r['seconds']:.0f} s)", flush=True)
    if results:
        table = pathlib.Path(args.out) / "claims.md"
        table.write_text("# Claims\n\n" + report.all_claims(results))
        print(f"All: {report.counts(results)}. The claims are in {table}, each experiment's report in its folder there.")
    if broken:
        raise Failed(f"{len(broken)} of {len(names)} experiments did not run: {', '.join(broken)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failed:
        print(f"plumb: {failed}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
