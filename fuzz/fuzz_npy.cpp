#include "plumb/data/check.hpp"
#include "plumb/io/npy.hpp"
#include "read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    plumb::read_all(plumb::parse_npy(std::as_bytes(std::span(data, size)), nullptr, "fuzz.npy"));
  } catch (const plumb::InputError&) {
    return 0;  // refused with one sentence, as intended
  }
  return 0;
}
