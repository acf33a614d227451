// Arbitrary bytes as a table of cases: refused, or cases with distinct names.
#include <cstdlib>
#include <set>

#include "as_file.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/manifest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const plumb::AsFile file(data + 1, size - 1);
  const std::vector<std::string> by =
      (data[0] & 1) != 0 ? std::vector<std::string>{"site"} : std::vector<std::string>{};
  try {
    const plumb::Manifest m = plumb::read_manifest(file.path(), by, false, (data[0] & 2) != 0);
    std::set<std::string> names;
    for (const plumb::ManifestCase& c : m.cases) names.insert(c.name);
    if (names.size() != m.cases.size()) std::abort();
  } catch (const plumb::InputError&) {  // refused with one sentence, as intended
  }
  return 0;
}
