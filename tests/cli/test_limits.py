"""Files that claim too much, that are no files, or that are larger than they look: bounded memory and one sentence, or the right answer."""
import os
import resource
import struct
import subprocess
import threading

import numpy as np
import pytest

from conftest import PLUMB

MEMORY = 1200 * 2**20  # address space, which is more than what is used


@pytest.fixture
def small(folder):
    folder.npy("p.npy", np.linspace(0.05, 0.95, 10))
    folder.npy("y.npy", np.arange(10) % 2)
    return folder


def run_capped(folder, *args, memory=MEMORY):
    def cap():
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return subprocess.run([PLUMB, *args], cwd=folder.path, capture_output=True, text=True, timeout=120, preexec_fn=cap)


@pytest.fixture(autouse=True)
def not_with_sanitizers():
    """They reserve terabytes of addresses."""
    if "__asan_init" in subprocess.run(["readelf", "-Ws", PLUMB], capture_output=True, text=True).stdout:
        pytest.skip("sanitizers reserve more memory than the cap")


@pytest.mark.parametrize("shape, says", [
    ("(1000000000, 2)", "requires 16000000000"),
    ("(2, 2147483648)", "requires 34359738368"),
    ("(4611686018427387904, 4)", "exceeds 64 bits"),
    ("(-1, 2)", "negative extent"),
])
def test_headers_are_not_believed(small, shape, says):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    (small / "lie.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(160))
    done = run_capped(small, "evaluate", "--probs", "lie.npy", "--labels", "y.npy")
    assert done.returncode == 2 and "lie.npy" in done.stderr and says in done.stderr and done.stderr.count("\n") == 1


def test_an_honest_archive_that_inflates_a_hundredfold(small):
    """0.6 MB that hold 423 MB, within three times their size."""
    n = 47_000_000
    np.savez_compressed(small / "big.npz", p=np.full(n, 0.25), y=np.zeros(n, np.uint8))
    assert os.path.getsize(small / "big.npz") < 1e6
    done = run_capped(small, "evaluate", "--probs", "big.npz:p", "--labels", "big.npz:y", "--metrics", "ece,brier")
    assert done.returncode == 0 and "47,000,000 items" in done.stdout and "0.2500" in done.stdout, done.stderr


def test_streaming_keys_in_bounded_memory(folder):
    """1e7 forecasts in files of 90 MB are mapped, not read."""
    n = 10_000_000
    folder.npy("p.npy", (np.arange(n) + 0.5) / n)
    folder.npy("y.npy", (np.arange(n) % 3 == 0).astype(np.uint8))
    done = run_capped(folder, "evaluate", "--probs", "p.npy", "--labels", "y.npy", "--metrics", "ece,mce,brier,nll,accuracy", "--json", "r.json",
                      "--quiet", memory=450 * 2**20)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path, says", [("/dev/zero", "device"), ("/dev/null", "device"), ("/proc/self/mem", "empty"), ("/", "directory"),
                                        ("loop.npy", "is a link"), ("y.npy/p.npy", "y.npy")])
def test_what_is_no_file(small, path, says):
    os.symlink("loop.npy", small / "loop.npy")
    done = run_capped(small, "evaluate", "--probs", path, "--labels", "y.npy")
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("path, says", [("/dev/full", "No space left"), ("/nowhere/r.json", "does not exist"), (".", "directory")])
def test_where_nothing_can_be_written(small, path, says):
    done = run_capped(small, "evaluate", "--probs", "p.npy", "--labels", "y.npy", "--json", path)
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert small.names() == ["p.npy", "y.npy"]


def test_a_pipe_is_read(small):
    """As in a shell: --probs <(command)"""
    os.mkfifo(small / "pipe.npy")
    writer = threading.Thread(target=lambda: (small / "pipe.npy").write_bytes((small / "p.npy").read_bytes()))
    writer.start()
    piped = small.run("evaluate", "--probs", "pipe.npy", "--labels", "y.npy", "--metrics", "ece", "--json", "-")
    writer.join()
    plain = small.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--metrics", "ece", "--json", "-")
    assert piped.json["metrics"] == plain.json["metrics"]


def test_two_hundred_thousand_columns(small):
    small.text("wide.csv", ",".join(f"c{i}" for i in range(200_000)) + "\n" + ",".join("0" for _ in range(200_000)) + "\n")
    done = run_capped(small, "evaluate", "--probs", "wide.csv", "--labels", "y.npy")
    assert done.returncode == 2 and "wide.csv has 1 row but y.npy has 10 rows" in done.stderr


def test_deep_nesting(small):
    small.text("deep.json", "[" * 100_000)
    done = run_capped(small, "report", "deep.json", "-o", "x.html")
    assert done.returncode == 2 and "nested" in done.stderr and not (small / "x.html").exists()
