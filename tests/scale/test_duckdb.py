"""The extension for DuckDB: SQL as in sql/*.test, and what takes files, threads or another process."""
import pathlib
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from conftest import EXTENSION, binary, classes

duckdb = pytest.importorskip("duckdb")
if not pathlib.Path(EXTENSION).exists():
    pytest.skip("the extension was not built (tools/setup duckdb, then cmake)", allow_module_level=True)
HERE = pathlib.Path(__file__).parent


def connect(threads=2, extension=EXTENSION):
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": threads})
    connection.execute(f"LOAD '{extension}'")
    return connection


def records(path):
    """(line, kind, SQL, what is expected) of a file of tests."""
    for number, block in enumerate(re.split(r"\n\s*\n", path.read_text())):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        sql, _, expected = "\n".join(lines[1:]).partition("\n----\n")
        yield number, lines[0], sql, expected


def shown(value):
    return "NULL" if value is None else {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def run_records(path, connection):
    for number, kind, sql, expected in records(path):
        if kind == "error":
            with pytest.raises(duckdb.Error) as caught:
                connection.execute(sql).fetchall()
            assert expected in str(caught.value) and "\n" not in str(caught.value).split("plumb: ", 1)[1], (sql, str(caught.value))
        else:
            got = connection.execute(sql).fetchall()
            if kind == "query":
                assert "\n".join(" ".join(map(shown, row)) for row in got) == expected, (path.name, number, sql)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("name", sorted(path.name for path in (HERE / "sql").iterdir()))
def test_sql(name, threads):
    run_records(HERE / "sql" / name, connect(threads))


def table(connection, **columns):
    import pandas as pd
    connection.register("given", pd.DataFrame(columns))
    connection.execute("CREATE TABLE t AS SELECT * FROM given")


def test_states_are_the_bytes_of_the_tool(tool):
    data = binary(20_000)
    weights = np.random.default_rng(1).integers(1, 5, 20_000).astype(float)
    connection = connect()
    table(connection, w=weights, **data)
    one = lambda sql: bytes(connection.execute(sql).fetchone()[0])  # noqa: E731
    assert one("SELECT plumb_state(p, y) FROM t") == tool.state(probs=data["p"], labels=data["y"])
    assert one("SELECT plumb_state(p, y, w) FROM t") == tool.state(probs=data["p"], labels=data["y"], weights=weights)
    assert one("SELECT plumb_state(p, y, 'bins=10, clip=1e-6, bandwidth=0.05') FROM t") == \
        tool.state("--bins", 10, "--clip", 1e-6, "--bandwidth", 0.05, probs=data["p"], labels=data["y"])
    parts = "SELECT plumb_state(p, y) s FROM t GROUP BY site, p < 0.1"
    assert one(f"SELECT plumb_merge(s) FROM ({parts})") == tool.state(probs=data["p"], labels=data["y"])
    whole = tool.state(probs=data["p"], labels=data["y"])
    (tool.path / "a.state").write_bytes(one("SELECT plumb_state(p, y) FROM t WHERE site = 0"))
    (tool.path / "b.state").write_bytes(one("SELECT plumb_state(p, y) FROM t WHERE site <> 0"))
    tool.run("merge", "a.state", "b.state", "--save-state", "c.state", "--quiet")
    assert (tool.path / "c.state").read_bytes() == whole


def test_votes_of_raters(tool):
    z, counts = classes(3000)
    connection = connect()
    table(connection, z=list(z), n=list(counts))
    state = bytes(connection.execute("SELECT plumb_state(z, n) FROM t").fetchone()[0])
    assert state == tool.state(probs=z, counts=counts)
    metrics = tool.result("evaluate", "--probs", "probs.npy", "--counts", "counts.npy")["metrics"]
    for key in ("ece", "agreement", "accuracy", "brier", "nll"):
        assert connection.execute(f"SELECT plumb_{key}(z, n) FROM t").fetchone()[0] == metrics[key]["value"], key
    for key in ("cl", "dl", "el", "disagreement_loss"):
        assert connection.execute("SELECT plumb_value(?, ?)", [state, key]).fetchone()[0] == metrics[key]["value"], key


def test_the_same_bits_for_any_threads():
    data = binary(50_000)
    said = set()
    for threads in (1, 2, 7):
        connection = connect(threads)
        table(connection, **data)
        said.add(str(connection.execute("SELECT plumb_ece(p, y), plumb_nll(p, y), md5(plumb_state(p, y)::VARCHAR) FROM t").fetchall()))
        said.add(str(connection.execute("SELECT plumb_ece(p, y), plumb_nll(p, y), md5(plumb_state(p, y)::VARCHAR) FROM (FROM t ORDER BY p)").fetchall()))
    assert len(said) == 1


def test_a_model_is_applied(tool):
    data = binary(5000)
    tool.state(probs=data["p"] ** 2, labels=data["y"])
    tool.run("calibrate", "fit", "--method", "platt", "--probs", "probs.npy", "--labels", "labels.npy", "-o", "model.json", "--quiet")
    tool.run("calibrate", "apply", "model.json", "--probs", "probs.npy", "-o", "out.npy", "--quiet")
    connection = connect()
    table(connection, p=data["p"] ** 2)
    got = connection.execute(f"SELECT plumb_apply('{tool.path}/model.json', p) FROM t").fetchall()
    assert [row[0] for row in got] == np.load(tool.path / "out.npy").tolist()


PROGRAM = """
import resource, duckdb
connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": 2})
connection.execute("LOAD '%s'")
connection.execute("SET enable_progress_bar = false")
connection.execute("CREATE TABLE t AS SELECT i %% 100000 AS g, (i * 7919 %% 10007) / 10007 AS p, i %% 2 AS y FROM range(1000000) r(i)")
connection.execute("SELECT g, sum(p), sum(y) FROM t GROUP BY g").fetchall()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rows = connection.execute("SELECT g, plumb_ece(p, y) FROM t GROUP BY g").fetchall()
print(len(rows), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_hundred_thousand_groups_take_a_table_each():
    done = subprocess.run([sys.executable, "-c", PROGRAM % EXTENSION], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    groups, kilobytes = map(int, done.stdout.split())
    assert groups == 100_000 and kilobytes < 300_000  # 15 bins of 32 bytes, twice while the threads' tables are combined


def stamped(tmp_path, **fields):
    """A copy of the extension that says something else at its end: one of eight fields of 32 bytes, last first."""
    content = bytearray(pathlib.Path(EXTENSION).read_bytes())
    end = len(content) - 256
    for name, text in fields.items():
        at = end - 32 * (1 + ["magic", "platform", "api", "version", "abi"].index(name))
        content[at:at + 32] = text.encode().ljust(32, b"\0")
    folder = tmp_path / "_".join(fields.values())
    folder.mkdir()
    (folder / "plumb.duckdb_extension").write_bytes(content)
    return folder / "plumb.duckdb_extension"


@pytest.mark.parametrize("fields", [{"api": "v1.99.0"}, {"api": "v0.0.1"}, {"platform": "osx_arm64"}, {"abi": "C_STRUCT_UNSTABLE"},
                                    {"abi": "CPP"}, {"magic": "5"}], ids=str)
def test_a_mismatch_is_an_error(tmp_path, fields):
    program = f"import duckdb\nc = duckdb.connect(config={{'allow_unsigned_extensions': 'true'}})\ntry:\n    c.execute(\"LOAD '{stamped(tmp_path, **fields)}'\")\n" \
              "except duckdb.Error as e:\n    print('refused', e)\nprint(c.execute('SELECT 1').fetchone())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("refused"), (done.returncode, done.stdout, done.stderr)


def test_an_api_that_is_not_there_is_an_error():
    """The entry point by itself, with what another DuckDB might hand over: no API, or a struct without functions."""
    program = textwrap.dedent(f"""
        import ctypes
        library = ctypes.CDLL({EXTENSION!r})
        ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
        DATABASE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
        API = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
        class Access(ctypes.Structure):
            _fields_ = [("set_error", ERROR), ("get_database", DATABASE), ("get_api", API)]
        library.plumb_init_c_api.restype = ctypes.c_bool
        said, zeros = [], ctypes.create_string_buffer(1 << 16)
        for api in (None, ctypes.addressof(zeros)):
            access = Access(ERROR(lambda info, text: said.append(text.decode())), DATABASE(lambda info: None), API(lambda info, version: api))
            assert not library.plumb_init_c_api(None, ctypes.byref(access))
        assert not library.plumb_init_c_api(None, None)
        print(*said, sep="\\n")
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("DuckDB 1.2 or later") == 2
