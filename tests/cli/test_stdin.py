"""- is standard input: a table whose columns serve several flags, or one array."""
import io
import json
import subprocess

import numpy as np

from conftest import PLUMB

TABLE = "id,p,y,site\n" + "".join(f"x{i},{(i % 9 + 1) / 10},{int(i % 3 == 0)},{'ab'[i % 2]}\n" for i in range(60))


def piped(folder, data, *args):
    raw = data if isinstance(data, bytes) else data.encode()
    return subprocess.run([PLUMB, *args], cwd=folder.path, input=raw, capture_output=True, timeout=300)


def test_columns_of_one_stream(folder):
    folder.text("t.csv", TABLE)
    flags = ("--probs", "{}:p", "--labels", "{}:y", "--by", "{}:site", "--ids", "{}:id", "--bootstrap", "10")
    named = piped(folder, "", "evaluate", *[f.format("t.csv") for f in flags], "--json", "a.json", "--report", "a.html")
    assert named.returncode == 0, named.stderr
    stream = piped(folder, TABLE, "evaluate", *[f.format("-") for f in flags], "--json", "b.json", "--report", "b.html")
    assert stream.returncode == 0, stream.stderr
    a, b = (json.loads((folder / f).read_text()) for f in ("a.json", "b.json"))
    for part in ("metrics", "per_group", "tables", "verdict"):
        assert a[part] == b[part]
    assert [i["sha256"] for i in a["inputs"]] == [i["sha256"] for i in b["inputs"]]
    assert b["inputs"][0]["path"] == "standard input:p"


def test_an_array(folder):
    p = np.linspace(0.05, 0.95, 40)
    folder.npy("y.npy", (np.arange(40) % 3 == 0).astype(int))
    out = io.BytesIO()
    np.save(out, p)
    folder.npy("p.npy", p)
    a = piped(folder, out.getvalue(), "evaluate", "--probs", "-", "--labels", "y.npy", "--json", "-")
    b = piped(folder, "", "evaluate", "--probs", "p.npy", "--labels", "y.npy", "--json", "-")
    assert a.returncode == 0, a.stderr
    assert json.loads(a.stdout)["metrics"] == json.loads(b.stdout)["metrics"]


def test_tabs_and_describe(folder):
    done = piped(folder, TABLE.replace(",", "\t"), "describe", "-")
    assert done.returncode == 0 and b"-:site" in done.stdout


def test_what_is_wrong_with_a_stream(folder):
    for data, spec, sentence in [("", "-:p", b"standard input gave no data"),
                                 (TABLE, "-:q", b'standard input has no column "q"'),
                                 (TABLE.replace("0.1", "oops"), "-:p", b"standard input, row 0 (line 2)"),
                                 (TABLE, "-:", b"ends with a colon")]:
        done = piped(folder, data, "evaluate", "--probs", spec, "--labels", "-:y")
        assert done.returncode == 2 and sentence in done.stderr, done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
