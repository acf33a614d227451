// Arbitrary bytes as an IDX file, plain or packed: refused, or as many values as the shape says.
#include <cstdlib>

#include "as_file.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/idx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const plumb::AsFile file(data + 1, size - 1);
  try {
    const plumb::IdxBytes read = plumb::read_idx(file.path(), data[0] % 2 == 0 ? 1 : 3);
    std::size_t values = 1;
    for (const std::int64_t extent : read.shape) values *= static_cast<std::size_t>(extent);
    if (values != read.values.size()) std::abort();
  } catch (const plumb::InputError&) {  // refused with one sentence, as intended
  }
  return 0;
}
