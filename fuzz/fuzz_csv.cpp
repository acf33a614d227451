// The first byte picks options and the size of the pieces. Neither the data nor the messages may depend on
// the pieces.
#include <cstdlib>
#include <cstring>
#include <optional>

#include "plumb/data/check.hpp"
#include "plumb/io/csv.hpp"
#include "read_all.hpp"

namespace {

std::optional<plumb::Array> parsed(std::span<const std::byte> bytes, const plumb::CsvOptions& options,
                                   std::string& why) {
  try {
    return plumb::parse_csv(bytes, "fuzz.csv", "", options);
  } catch (const plumb::InputError& e) {
    why = e.what();
    return std::nullopt;  // refused with one sentence, as intended
  }
}

void require(bool same) {
  if (!same) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  plumb::CsvOptions options;
  options.threads = 1;
  options.delimiter = data[0] & 1 ? '\t' : ',';
  options.want = static_cast<plumb::Want>((data[0] >> 1) % 3);
  options.empty_is_nan = (data[0] & 8) != 0;
  options.chunk_bytes = static_cast<std::size_t>(data[0] >> 4) + 1;
  std::string why_pieces, why_whole;
  const auto pieces = parsed(bytes, options, why_pieces);
  options.chunk_bytes = std::size_t{1} << 20;
  const auto whole = parsed(bytes, options, why_whole);
  require(pieces.has_value() == whole.has_value() && why_pieces == why_whole);
  if (!pieces) return 0;
  require(pieces->shape == whole->shape && pieces->dtype == whole->dtype);
  if (pieces->dtype == plumb::DType::text) {
    require(*pieces->text == *whole->text);
  } else {
    plumb::read_all(*pieces);
    const auto n = static_cast<std::size_t>(pieces->size()) * sizeof(double);
    require(n == 0 || std::memcmp(pieces->data, whole->data, n) == 0);
  }
  return 0;
}
