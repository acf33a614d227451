"""Blocks of docs/sql.md and docs/scale.md that open with ```sql run or ```python run; those of a page share their tables and names."""
import pathlib
import re

import pytest
from conftest import EXTENSION, ROOT


def blocks(page, language):
    found = re.findall(rf"^```{language} run\n(.*?)^```", (ROOT / page).read_text(), re.S | re.M)
    assert found
    return found


def test_sql():
    duckdb = pytest.importorskip("duckdb")
    if not pathlib.Path(EXTENSION).exists():
        pytest.skip("the extension was not built (tools/setup duckdb, then cmake)")
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{EXTENSION}'")
    for page in ("docs/sql.md", "README.md"):
        for block in blocks(page, "sql"):
            for statement in filter(str.strip, block.split(";\n")):
                rows = connection.execute(statement).fetchall()
                assert statement.startswith("CREATE") or rows, statement


def test_dask():
    pytest.importorskip("dask.dataframe")
    for block in blocks("docs/scale.md", "python"):
        exec(compile(block, "docs/scale.md", "exec"), {})  # noqa: S102
