// An arbitrary state file, of a classification or a regression, is refused with one sentence, or read,
// written again with the same bytes, merged and finished. Length and checksum are corrected first, so that
// the code behind them is reached.
#include <cstdlib>
#include <string>

#include "plumb/data/check.hpp"
#include "plumb/evaluate/state.hpp"
#include "plumb/regression/state.hpp"
#include "plumb/result/state_bytes.hpp"

namespace {

std::string sealed(std::string bytes) {
  constexpr std::size_t kHead = 8 + sizeof(std::uint32_t) + sizeof(std::uint64_t);
  if (bytes.size() < kHead + sizeof(std::uint64_t)) return bytes;
  bytes.resize(bytes.size() - sizeof(std::uint64_t));
  const std::uint64_t length = bytes.size() - kHead;
  std::memcpy(bytes.data() + kHead - sizeof length, &length, sizeof length);
  const std::uint64_t sum = plumb::detail::checksum(std::string_view(bytes).substr(kHead));
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

plumb::EvaluateState read(const std::string& bytes, plumb::EvaluateOptions) {
  return plumb::deserialize_state(bytes, "fuzz.state");
}
plumb::RegressionState read(const std::string& bytes, plumb::RegressionOptions) {
  return plumb::deserialize_regression_state(bytes, "fuzz.state");
}

template <class Options>
void use(const std::string& bytes) {
  auto state = read(bytes, Options{});
  const std::string again = plumb::serialize(state);
  const auto same = read(again, Options{});
  if (plumb::serialize(same) != again) std::abort();
  plumb::merge(state, same);
  (void)plumb::finish(state, Options{});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string bytes = sealed({reinterpret_cast<const char*>(data), size});
  try {
    plumb::is_regression_state(bytes) ? use<plumb::RegressionOptions>(bytes)
                                      : use<plumb::EvaluateOptions>(bytes);
  } catch (const plumb::InputError&) {  // what is wanted
  }
  return 0;
}
