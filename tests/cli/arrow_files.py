"""Writes the files that test_arrow.py reads; run by the Python of .venv-arrow, which has pyarrow."""
import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

NAMES = ["ant", "bee", "cat"]


def stream(table, path, rows):
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, rows)


def main_table():
    p, y = np.load("probs.npy"), np.load("labels.npy")
    n = len(y)
    words = pa.array([NAMES[k] for k in y])
    columns = {"id": pa.array([2**60 + i for i in range(n)])}  # as doubles they would be a few ids
    columns |= {f"p_{name}": p[:, k] for k, name in enumerate(NAMES)}
    columns |= {
        "z": pa.array(list(p)), "fixed": pa.FixedSizeListArray.from_arrays(pa.array(p.ravel()), 3),
        "large": pa.array(list(p), pa.large_list(pa.float64())), "y": y, "label": words,
        "large_label": words.cast(pa.large_string()), "view_label": words.cast(pa.string_view()),
        "coded_label": words.dictionary_encode(), "site": pa.array([{"name": "ab"[i % 2]} for i in range(n)]),
        "name": pa.array([f"x{i}" for i in range(n)]), "when": pa.array([0] * n, pa.timestamp("us")),
        "maybe": pa.array([None if i == 7 else 0.5 for i in range(n)]),
        "maps": pa.array([[("a", 1)]] * n, pa.map_(pa.string(), pa.int64())),
        "nested": pa.array([[[0.5, 0.5]]] * n), "money": pa.array([1] * n).cast(pa.decimal128(25, 2)),
        "uneven": pa.array([[0.2, 0.8]] * (n - 1) + [[1.0]]), "bytes": pa.array([b"x"] * n),
        "half": pa.array([None if i == 3 else [0.2, 0.3, 0.5] for i in range(n)]),
    }
    table = pa.table(columns)
    pq.write_table(table, "t.parquet", row_group_size=40)
    pq.write_table(table.drop_columns(["view_label"]), "zstd.parquet", compression="zstd", version="1.0")
    feather.write_feather(table, "t.feather")
    feather.write_feather(table.slice(5, 60), "slice.feather", compression="uncompressed", chunksize=1000)
    stream(table, "t.arrow", 33)
    pq.write_table(table.slice(0, 50), "part2.parquet")
    pq.write_table(table.slice(50), "part10.parquet")


def types():
    y, p = np.load("labels.npy") % 2, np.load("probs.npy")[:, 0]
    columns = {t: y.astype(t) for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?")}
    columns |= {"p" + t: p.astype(t) for t in ("f2", "f4", "f8")}
    columns["coded"] = pa.array(y).dictionary_encode()
    pq.write_table(pa.table(columns), "types.parquet")
    feather.write_feather(pa.table(columns), "types.feather")


def judgements():
    rows = json.load(open("judgements.json"))
    table = pa.table({key: [r[key] for r in rows] for key in ("item", "rater", "label")})
    pq.write_table(table, "judgements.parquet")


def damaged():
    """The bytes of one column overwritten: whoever reads the other one does not notice."""
    rng = np.random.default_rng(1)
    pq.write_table(pa.table({"junk": rng.random(2000), "p": rng.random(2000), "y": rng.integers(0, 2, 2000)}), "half.parquet",
                   use_dictionary=False, write_page_checksum=True)
    column = pq.read_metadata("half.parquet").row_group(0).column(0)
    data = bytearray(open("half.parquet", "rb").read())
    at = column.data_page_offset
    data[at + 60:at + column.total_compressed_size] = bytes(column.total_compressed_size - 60)
    open("half.parquet", "wb").write(data)


def large():
    """25 million rows of a few values: 16 MB as a file, 200 MB decoded; their labels as text too."""
    rng = np.random.default_rng(3)
    values, rows = rng.random(16), rng.integers(0, 16, 10**6)
    y = (rng.random(10**6) < values[rows]).astype("u1")
    word = pa.array(["no", "yes"]).take(pa.array(y))
    part = pa.table({"p": values[rows], "y": y, "word": word, "coded": word.dictionary_encode()})
    pq.write_table(part, "part.parquet")
    with pq.ParquetWriter("large.parquet", part.schema) as writer:
        for _ in range(25):
            writer.write_table(part)


def read_back(path):
    table = feather.read_table(path) if path.endswith((".arrow", ".feather")) else pq.read_table(path)
    print(json.dumps({"columns": {c: table[c].to_pylist() for c in table.column_names},
                      "types": {c: str(table[c].type) for c in table.column_names}}))


if __name__ == "__main__":
    if sys.argv[1:] == ["large"]:
        large()
    elif len(sys.argv) > 1:
        read_back(sys.argv[1])
    else:
        main_table(), types(), judgements(), damaged()
