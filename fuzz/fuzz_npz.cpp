#include "plumb/data/check.hpp"
#include "plumb/io/npz.hpp"
#include "read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  std::vector<std::string> names;
  try {
    names = plumb::npz_names(bytes, "fuzz.npz");
  } catch (const plumb::InputError&) {
    return 0;  // refused with one sentence, as intended
  }
  for (const std::string& name : names) {
    try {
      plumb::read_all(plumb::parse_npz(bytes, nullptr, "fuzz.npz", name));
    } catch (const plumb::InputError&) {
      continue;  // one bad member; the others may be good
    }
  }
  return 0;
}
