"""The rooms: the table in HACKING.md says which room may use which, and includes and CMake agree with it."""
import graphlib
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("include/plumb", "src", "shell", "train", "cli", "python")
# Headers beside the rooms, where the name does not tell the room.
TOP_HEADERS = {"registry.hpp": "result", "version.hpp": "result", "plumb.hpp": "api"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)
OPENS_FILES = re.compile(r"\b(?:fopen|[io]?fstream|MappedFile|AtomicFile)\b|\bfilesystem(?:;|::(?!path\b)\w+)|[^\w:]::open\(")
TORCH = ("torch/", "ATen/", "c10/")
CUDA = ("cuda.h", "cuda_", "cudart", "curand", "cublas", "cub/", "thrust/", "nvrtc", "nvml")


class House:
    """The sources below a root, the table of rooms in its HACKING.md, and everything where they disagree."""

    def __init__(self, root):
        self.root = root
        text = (root / "HACKING.md").read_text()
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
        columns = next(row for row in rows if row[:1] == ["room"])
        at = rows.index(columns) + 2
        table = [row for row in rows[at:] if len(row) == len(columns) and row[0].startswith("`")]
        uses = columns.index("may use")
        self.table = {row[0].strip("`"): set(re.findall(r"[a-z][a-z/_]*", row[uses])) for row in table}
        self.openers = set(re.findall(r"`([a-z/_]+)`", re.search(r"Only ([^.]*?)\s+open\s+files", text).group(1)))
        self.used = {room: {} for room in self.table}  # room -> room it includes -> an example
        self.complaints = []
        self.read_sources()
        self.compare()

    def room_of(self, path):
        """The room of a path below include/plumb, src or the root: the longest one that the table has."""
        parts = pathlib.PurePath(path).parts
        if len(parts) == 1:
            return TOP_HEADERS.get(parts[0], parts[0].removesuffix(".hpp"))
        for n in range(len(parts) - 1, 0, -1):
            if "/".join(parts[:n]) in self.table:
                return "/".join(parts[:n])
        return parts[0]

    def target(self, source, name):
        """The room that an include reaches, and whether its header is private to that room."""
        if name.startswith("plumb/"):
            return self.room_of(name.removeprefix("plumb/")), False
        if (source.parent / name).is_file():
            return None, False
        if (self.root / "src" / name).is_file():
            return self.room_of(name), "shared" not in pathlib.PurePath(name).parts
        if (self.root / name).is_file():
            return self.room_of(name), False
        return None, False

    def read_sources(self):
        for folder in FOLDERS:
            base = self.root / folder
            for source in sorted(s for s in base.rglob("*") if s.suffix in (".hpp", ".cpp", ".cu", ".cuh")):
                path = source.relative_to(self.root)
                room = self.room_of(source.relative_to(base if folder in FOLDERS[:2] else self.root))
                if room not in self.table:
                    self.complaints.append(f"{path}: the table has no room `{room}`")
                    continue
                self.read_source(source, path, room)

    def read_source(self, source, path, room):
        text = source.read_text()
        for name in INCLUDE.findall(text):
            if name.startswith(TORCH) and room != "train":
                self.complaints.append(f"{path} includes {name}: LibTorch is for `train` alone")
            if name.startswith(CUDA) and room != "cuda":
                self.complaints.append(f"{path} includes {name}: CUDA is for `cuda` alone")
            used, private = self.target(source, name)
            if used in (None, room):
                continue
            self.used[room].setdefault(used, f"{path} includes {name}")
            if private:
                self.complaints.append(f"{path} includes {name}, a private header of `{used}`")
        opened = OPENS_FILES.search(COMMENT_OR_TEXT.sub("", text))
        if opened and room not in self.openers:
            self.complaints.append(f"{path} uses {opened.group()}: `{room}` opens no files")

    def linked(self, room):
        """The rooms in DEPENDS of plumb_room(), or in target_link_libraries() of a room outside src/."""
        for folder in (self.root / "src" / room, self.root / room):
            if (folder / "CMakeLists.txt").exists():
                text = re.sub(r"#[^\n]*", "", (folder / "CMakeLists.txt").read_text())
                break
        else:
            return set()
        names = re.findall(r"\bDEPENDS\s+([a-z_\s]+)", text)
        names = [name for list_ in names for name in list_.split()]
        for call in re.findall(r"target_link_libraries\(([^()]*)\)", re.sub(r"\$<[^ \n]*>", "", text)):
            names += re.findall(r"\bplumb_(\w+)", call)
        by_target = {r.replace("/", "_"): r for r in self.table}
        return {by_target[name] for name in names if name in by_target} - {room}

    def compare(self):
        rooms = list(self.table)
        for i, room in enumerate(rooms):
            if not any((self.root / f / room).exists() or (self.root / f / f"{room}.hpp").exists()
                       for f in ("include/plumb", "src", ".")):
                self.complaints.append(f"the table has a room `{room}` that is not there")
                continue
            for used in sorted(set(self.used[room]) - self.table[room]):
                self.complaints.append(f"`{room}` may not use `{used}`: {self.used[room][used]}")
            for used in sorted(self.table[room] - set(self.used[room])):
                self.complaints.append(f"`{room}` may use `{used}` in the table, and includes nothing of it")
            for used in sorted(self.table[room] - set(rooms[:i])):
                self.complaints.append(f"`{room}` may use `{used}`, which does not stand above it in the table")
            linked = self.linked(room)
            if linked != self.table[room] and (self.used[room] or linked):
                self.complaints.append(f"`{room}`: CMake links {sorted(linked)}, the table has {sorted(self.table[room])}")
        try:
            graphlib.TopologicalSorter(self.used).prepare()
        except graphlib.CycleError as e:
            self.complaints.append("a cycle: " + " <- ".join(e.args[1]))


def test_the_house_is_as_its_table_says():
    house = House(ROOT)
    assert len(house.table) > 10 and sum(map(len, house.used.values())) > 40  # something was read at all
    assert not house.complaints, "\n" + "\n".join(house.complaints)


# A small source tree of three rooms without faults.
SOUND = {
    "HACKING.md": """
| room | may use | holds |
|---|---|---|
| `ground` | | sums |
| `files` | ground | files |
| `train` | ground, files | networks |

Only `files` and `train` open files.
""",
    "include/plumb/ground/sum.hpp": "#include <vector>\n// never an std::ofstream\n",
    "src/ground/sum.cpp": '#include "plumb/ground/sum.hpp"\n#include "ground/own.hpp"\n',
    "src/ground/own.hpp": "",
    "src/ground/shared/kernel.hpp": "",
    "src/ground/CMakeLists.txt": "plumb_room(ground\n  SOURCES sum.cpp\n  PRIVATE fmt::fmt)\n",
    "include/plumb/files/read.hpp": '#include "plumb/ground/sum.hpp"\n',
    "src/files/read.cpp": '#include <fstream>\n#include "ground/shared/kernel.hpp"\nstd::ifstream in;\n',
    "src/files/CMakeLists.txt": "plumb_room(files\n  SOURCES read.cpp\n  DEPENDS ground)\n",
    "train/net.cpp": '#include <torch/torch.h>\n#include "plumb/files/read.hpp"\n#include "plumb/ground/sum.hpp"\n',
    "train/CMakeLists.txt": "target_link_libraries(plumb_train PUBLIC plumb_ground plumb_files PRIVATE plumb_flags)\n",
}


def house_of(folder, **changes):
    for name, text in {**SOUND, **changes}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return House(folder)


def test_a_sound_house_has_no_complaint(tmp_path):
    assert house_of(tmp_path).complaints == []


@pytest.mark.parametrize("name, text, complaint", [
    ("include/plumb/ground/sum.hpp", '#include "plumb/files/read.hpp"\n', "`ground` may not use `files`"),
    ("include/plumb/ground/sum.hpp", '#include "plumb/files/read.hpp"\n', "a cycle: "),
    ("src/files/read.cpp", '#include "ground/own.hpp"\n', "a private header of `ground`"),
    ("src/files/net.cpp", '#include "train/net.hpp"\n', "`files` may not use `train`"),
    ("src/files/net.cpp", "#include <torch/torch.h>\n", "LibTorch is for `train` alone"),
    ("src/files/net.cpp", "#include <cuda_runtime.h>\n", "CUDA is for `cuda` alone"),
    ("src/files/net.cu", "#include <cub/cub.cuh>\n", "CUDA is for `cuda` alone"),
    ("src/ground/sum.cpp", "std::ofstream out;\n", "`ground` opens no files"),
    ("src/ground/sum.cpp", "AtomicFile out(path);\n", "`ground` opens no files"),
    ("src/ground/sum.cpp", "namespace fs = std::filesystem;\n", "`ground` opens no files"),
    ("src/files/CMakeLists.txt", "plumb_room(files\n  SOURCES read.cpp)\n", "CMake links []"),
    ("train/CMakeLists.txt", "target_link_libraries(plumb_train PUBLIC plumb_ground)\n", "CMake links ['ground']"),
    ("train/net.cpp", '#include "plumb/files/read.hpp"\n', "`train` may use `ground` in the table, and includes nothing"),
    ("src/attic/old.cpp", "", "the table has no room `attic`"),
    ("HACKING.md", SOUND["HACKING.md"].replace("| sums |", "| sums |\n| `cellar` | | wine |"), "`cellar` that is not there"),
    ("HACKING.md", SOUND["HACKING.md"].replace("| `ground` | |", "| `ground` | train |"), "does not stand above it"),
])
def test_the_checker_complains(tmp_path, name, text, complaint):
    extra = {"train/net.hpp": "", name: text}
    assert any(complaint in c for c in house_of(tmp_path, **extra).complaints), house_of(tmp_path, **extra).complaints


if __name__ == "__main__":
    found = House(ROOT)
    for name, includes in found.used.items():
        print(f"{name}: {', '.join(room for room in found.table if room in includes)}")
    print("\n".join(["", *found.complaints]))
