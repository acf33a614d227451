// Streams whose claims are arbitrary. What is read must not depend on the cut into batches, and nothing may
// be left unreleased.
#include <cstdlib>

#include "plumb/data/check.hpp"
#include "plumb/io/arrow_stream.hpp"
#include "read_all.hpp"
#include "support/arrow_case.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  plumb::arrow_test::Stream stream =
      plumb::arrow_test::any_stream({reinterpret_cast<const char*>(data) + 1, size - 1});
  ArrowArrayStream c = stream.start();
  try {
    plumb::read_all(
        plumb::read_arrow_stream(&c, "fuzz", data[0] & 8 ? "a" : "",
                                 {static_cast<plumb::Want>(data[0] % 4), (data[0] & 16) != 0, nullptr}));
  } catch (const plumb::InputError&) {  // refused with one sentence, as intended
  }
  if (plumb::arrow_test::alive() != 0) std::abort();
  return 0;
}
