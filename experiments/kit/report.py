"""The report of one experiment, the table of all claims and docs/reproduce.md, each made from result.json files alone."""
from kit.claims import ABSENT, FAILS, HOLDS, OPEN, number, region_text


def cell(x):
    if isinstance(x, float):
        return number(x)
    return str("" if x is None else x).replace("|", "\\|").replace("\n", " ")


def rows_of(columns, rows):
    return "\n".join(["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns),
                      *("| " + " | ".join(map(cell, row)) + " |" for row in rows)]) + "\n"


def ours(claim):
    got = claim["ours"]
    if "missing" in got:
        return "no number: " + got["missing"]
    if got["low"] == got["high"]:
        return number(got["value"])
    return f"{number(got['value'])} ({number(got['low'])} to {number(got['high'])})"


def report(result):
    how = "the quick form" if result["mode"] == "quick" else "in full"
    text = f"# {result['experiment']} ({result['paper']})\n\n{result['what']}\n\nThis is {how}, with plumb {result['plumb']}; "
    text += f"it took {result['seconds']:.0f} s on {result['machine']}.\n\n"
    text += rows_of(["claim", "paper", "ours (95% interval)", "holds if ours is", "verdict"],
                    [[c["claim"], c["paper"], ours(c), region_text(c["region"]), c["verdict"]] for c in result["claims"]])
    notes = [c["ours"]["note"] for c in result["claims"] if c["ours"].get("note")]
    if result.get("substitute"):
        text += f"\nData: {result['substitute']}\n"
    for note in dict.fromkeys([*result["notes"], *(f"Row furthest from the claim, or remark: {n}." for n in notes)]):
        text += f"\n{note}\n"
    for table in result["tables"]:
        text += f"\n## {table['title']}\n\n" + rows_of(table["columns"], table["rows"])
    for chart in result["charts"]:
        text += f"\n![{chart['title']}]({chart['file']})\n"
    return text


def all_claims(results):
    """The table of all claims, with the command that repeats each."""
    rows = []
    for result in results:
        quick = " --quick" if result["mode"] == "quick" else ""
        for c in result["claims"]:
            rows.append([result["paper"], c["claim"], c["verdict"], ours(c), c["paper"], f"`plumb reproduce {result['experiment']}{quick} -o out`"])
    return rows_of(["paper", "claim", "verdict", "ours (95% interval)", "printed in the paper", "command"], rows)


def counts(results):
    verdicts = [c["verdict"] for r in results for c in r["claims"]]
    return ", ".join(f"{verdicts.count(v)} {v}" for v in (HOLDS, FAILS, OPEN, ABSENT) if v in verdicts)
