// The bytes as they are, and as the first payload of a file whose checksum is right.
#include <cstdint>
#include <string>

#include "plumb/data/check.hpp"
#include "plumb/io/journal.hpp"

namespace {

void read(std::string_view bytes) {
  plumb::Dependencies on;
  std::size_t end = 0;
  try {
    for (const auto& [name, record] : plumb::Journal::parse(bytes, "fuzz.run", on, end))
      if (record.bytes.size() > bytes.size()) __builtin_trap();
  } catch (const plumb::InputError&) {
    return;  // refused with one sentence, as intended
  }
  if (end > bytes.size()) __builtin_trap();
}

std::string word(std::uint64_t x) { return {reinterpret_cast<const char*>(&x), sizeof x}; }

std::string sealed(const std::string& payload) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (const char c : payload) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return word(payload.size()) + word(h) + payload;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string head("PLUMBRUN\1\0\0\0", 12);
  read(bytes);
  read(head + sealed(bytes));
  read(head + sealed(word(0)) + sealed(bytes));
  return 0;
}
