"""Volumes for the tests: NIfTI and PNG files written with struct alone, independent of the reader, and simulated
lesions."""
import gzip
import struct
import zlib

import numpy as np

CODES = {"uint8": 2, "int16": 4, "int32": 8, "float32": 16, "float64": 64, "int8": 256, "uint16": 512, "uint32": 768,
         "int64": 1024, "uint64": 1280}


def nifti(path, array, affine=None, slope=0.0, inter=0.0, version=1, big=False):
    """x is the first axis, as in nibabel."""
    affine = np.eye(4) if affine is None else np.asarray(affine)
    e = ">" if big else "<"
    dims = [array.ndim, *array.shape] + [1] * (7 - array.ndim)
    code, bits = CODES[array.dtype.name], 8 * array.dtype.itemsize
    rows = [float(v) for v in affine[:3].ravel()]
    if version == 1:
        head = struct.pack(e + "i35xb8h", 348, 0, *dims) + bytes(14) + struct.pack(e + "2hh8f", code, bits, 0, *[1.0] * 8)
        head += struct.pack(e + "3f", 352.0, slope, inter)
        head = head.ljust(252, b"\0") + struct.pack(e + "2h6f12f", 0, 1, *[0.0] * 6, *rows)
        head = head.ljust(344, b"\0") + b"n+1\0" + bytes(4)
    else:
        head = struct.pack(e + "i", 540) + b"n+2\0\r\n\x1a\n" + struct.pack(e + "2h8q3d8dq2d", code, bits, *dims, 0, 0, 0, *[1.0] * 8,
                                                                         544, slope, inter)
        head = head.ljust(344, b"\0") + struct.pack(e + "2i6d12d", 0, 1, *[0.0] * 6, *rows)
        head = head.ljust(544, b"\0")
    data = array.astype(array.dtype.newbyteorder(e)).tobytes(order="F")
    whole = head + data
    path.write_bytes(gzip.compress(whole, 1) if path.name.endswith(".gz") else whole)
    return path.name


def png(path, array):
    """Greyscale, 8 or 16 bits."""
    depth = 8 * array.dtype.itemsize

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    lines = b"".join(b"\0" + row.astype(array.dtype.newbyteorder(">")).tobytes() for row in array)
    path.write_bytes(b"\x89PNG\r\n\x1a\n"
                     + chunk(b"IHDR", struct.pack(">IIBBBBB", array.shape[1], array.shape[0], depth, 0, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))
    return path.name


def lesion(seed, shape=(12, 10, 7), raters=3, sharpen=1.0, classes=2):
    """A blob whose probabilities are known, and raters who draw from them."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, n) for n in shape], indexing="ij"))
    logits = []
    for _ in range(classes - 1):
        centre = rng.uniform(-0.4, 0.4, len(shape))
        away = np.sqrt(((grid - centre.reshape(-1, *[1] * len(shape))) ** 2).sum(0))
        logits.append(6 * (0.6 - away) + 0.5 * rng.standard_normal(shape))
    z = np.stack([np.zeros(shape), *logits], -1)
    q = np.exp(z)
    q /= q.sum(-1, keepdims=True)
    p = np.exp(sharpen * z)
    p /= p.sum(-1, keepdims=True)
    votes = [(rng.uniform(size=shape)[..., None] > np.cumsum(q, -1)[..., :-1]).sum(-1).astype(np.uint8) for _ in range(raters)]
    return (p[..., 1] if classes == 2 else p).astype(np.float32), votes
