"""A C++ developer installs the library, builds README.md's program against it, and runs its model without the library."""
import re
import subprocess

import pytest
from conftest import PLUMB, ROOT, blocks, page


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """`make install` of README.md, into a folder of one's own, from the tree that is tested."""
    if PLUMB.resolve() != (ROOT / "build" / "bin" / "plumb").resolve():
        pytest.skip("the tool under test is not that of build/")
    command = re.search(r"make install PREFIX=(\S+)`", page("README.md"))
    at = tmp_path_factory.mktemp("prefix")
    run = subprocess.run(["make", "install", f"PREFIX={at}", "PLUMB_SETUP=skip"], cwd=ROOT, capture_output=True, text=True,
                         timeout=900)
    assert command and run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    return at


def test_the_program_of_the_readme(walk, prefix):
    program = next(b for b in blocks("README.md", "cpp") if "int main()" in b)
    shown = re.search(r"int main\(\).*?^```\n\n```text\n(.*?)^```", page("README.md"), re.S | re.M)[1]
    linking = next(b for b in blocks("README.md", "cmake") if "find_package(plumb" in b)
    name = re.search(r"target_link_libraries\((\w+)", linking)[1]
    (walk.path / "main.cpp").write_text(program)
    package, link = linking.strip().splitlines()
    (walk.path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.20)\nproject(mine LANGUAGES CXX)\n{package}\nadd_executable({name} main.cpp)\n{link}\n")
    walk.shell(f"cmake -S . -B out -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH={prefix} && cmake --build out")
    assert walk.shell(f"out/{name}") == shown
    # The tool reads the model that the program saved.
    assert "temperature" in walk.shell(f"{prefix}/bin/plumb calibrate show model.json")


def test_the_model_without_the_library(walk, prefix):
    """The comment at the top of plumb/apply.hpp is sufficient to use it."""
    header = (prefix / "include" / "plumb" / "apply.hpp").read_text()
    example = "\n".join(re.findall(r"^//   (.*)$", header.split("#pragma once")[0], re.M))
    assert "Calibrator::load" in example
    walk.shell("plumb demo --out demo --quiet && " + next(
        c for b in blocks("README.md", "sh") for c in b.splitlines() if c.startswith("plumb calibrate fit")))
    (walk.path / "main.cpp").write_text(f"""#include <cstdio>
#include <vector>
#include <plumb/apply.hpp>
int main() {{
  const std::vector<double> logits{{4, 1, 0, 0, 0, 0, 0, 0}};
  std::vector<double> probabilities(8);
  {example}
  double sum = 0;
  for (const double p : probabilities) sum += p;
  std::printf("%.6f %.6f\\n", probabilities[0], sum);
}}
""")
    walk.shell(f"c++ -std=c++20 -Wall -Wextra -Werror -I {prefix}/include main.cpp -o mine")
    first, total = map(float, walk.shell("./mine").split())
    assert total == pytest.approx(1, abs=1e-6) and 1 / 8 < first < 1
