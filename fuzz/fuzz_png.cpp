// The bytes as they are, and as the header and the packed data of a file whose checksums are right.
#include <zlib.h>

#include <string>

#include "plumb/data/check.hpp"
#include "plumb/io/png.hpp"
#include "read_all.hpp"

namespace {

void read(std::string_view bytes) {
  try {
    plumb::read_all(plumb::parse_png(std::as_bytes(std::span(bytes.data(), bytes.size())), "fuzz.png"));
  } catch (const plumb::InputError&) {
    return;  // refused with one sentence, as intended
  }
}

void append_word(std::string& out, std::uint64_t x) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(x >> shift);
}

void append_chunk(std::string& out, const std::string& checked) {
  append_word(out, checked.size() - 4);
  out += checked;
  append_word(out, crc32_z(0, reinterpret_cast<const Bytef*>(checked.data()), checked.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  if (size < 13) return 0;
  std::string file = "\x89PNG\r\n\x1a\n";
  append_chunk(file, "IHDR" + bytes.substr(0, 13));
  append_chunk(file, "IDAT" + bytes.substr(13));
  append_chunk(file, "IEND");
  read(file);
  return 0;
}
