#include "io/zip.hpp"

#include <limits>

#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kEndBytes = 22;

/// Little-endian numbers at checked places.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(name_ + " is a damaged zip archive: " + what);
  }
  /// n bytes at `at`; both come from the file and may be anything.
  [[nodiscard]] std::span<const std::byte> part(std::uint64_t at, std::uint64_t n, const char* what) const {
    if (at > bytes_.size() || n > bytes_.size() - at)
      refuse(std::string("its ") + what + " lies outside the file");
    return bytes_.subspan(at, n);
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  const std::string& name_;
};

std::uint64_t number(std::span<const std::byte> from, std::size_t at, std::size_t n) {
  std::uint64_t v = 0;
  for (std::size_t i = n; i-- > 0;) v = v << 8 | std::to_integer<std::uint64_t>(from[at + i]);
  return v;
}

/// The end record carries a comment of up to 64 KiB, so it is searched for; its comment must
/// reach the file's end.
std::uint64_t find_end(const Reader& in) {
  const std::uint64_t last = in.size() < kEndBytes ? 0 : in.size() - kEndBytes;
  const std::uint64_t first = last > 0xffff ? last - 0xffff : 0;
  for (std::uint64_t at = last + 1; in.size() >= kEndBytes && at-- > first;) {
    const auto record = in.part(at, kEndBytes, "end");
    if (number(record, 0, 4) == 0x06054b50 && at + kEndBytes + number(record, 20, 2) == in.size()) return at;
  }
  return kNowhere;
}

/// Sizes and offset beyond 4 GiB stand in an extra field, only those whose short form is all
/// ones, in this order.
void apply_zip64(std::span<const std::byte> extra, ZipEntry& e, const Reader& in) {
  std::uint64_t* const wanted[3] = {&e.size, &e.compressed, &e.offset};
  while (extra.size() >= 4) {
    const std::uint64_t id = number(extra, 0, 2), length = number(extra, 2, 2);
    if (length > extra.size() - 4) in.refuse("an extra field is longer than its entry");
    auto field = extra.subspan(4, length);
    extra = extra.subspan(4 + length);
    if (id != 1) continue;
    for (std::uint64_t* value : wanted) {
      if (*value != 0xffffffff) continue;
      if (field.size() < 8) in.refuse("a zip64 field is truncated");
      *value = number(field, 0, 8);
      field = field.subspan(8);
    }
  }
}

}  // namespace

std::vector<ZipEntry> zip_directory(std::span<const std::byte> bytes, const std::string& name) {
  const Reader in(bytes, name);
  const std::uint64_t end = find_end(in);
  if (end == kNowhere)
    throw InputError(
        name +
        " is not a complete zip archive: its directory is missing; the file is truncated or is not an .npz");
  const auto record = in.part(end, kEndBytes, "end");
  std::uint64_t count = number(record, 10, 2), length = number(record, 12, 4), start = number(record, 16, 4);
  if (end >= 20 && number(in.part(end - 20, 20, "locator"), 0, 4) == 0x07064b50) {
    const auto end64 = in.part(number(in.part(end - 20, 20, "locator"), 8, 8), 56, "zip64 end");
    if (number(end64, 0, 4) != 0x06064b50) in.refuse("its zip64 end record has no signature");
    count = number(end64, 32, 8);
    length = number(end64, 40, 8);
    start = number(end64, 48, 8);
  }
  auto directory = in.part(start, length, "directory");
  std::vector<ZipEntry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (directory.size() < 46 || number(directory, 0, 4) != 0x02014b50) in.refuse("its directory ends early");
    ZipEntry e;
    e.flags = number(directory, 8, 2);
    e.method = number(directory, 10, 2);
    e.crc = number(directory, 16, 4);
    e.compressed = number(directory, 20, 4);
    e.size = number(directory, 24, 4);
    e.offset = number(directory, 42, 4);
    const std::uint64_t name_length = number(directory, 28, 2), extra_length = number(directory, 30, 2);
    const std::uint64_t total = 46 + name_length + extra_length + number(directory, 32, 2);
    if (total > directory.size()) in.refuse("its directory ends early");
    e.name.assign(reinterpret_cast<const char*>(directory.data()) + 46, name_length);
    apply_zip64(directory.subspan(46 + name_length, extra_length), e, in);
    entries.push_back(std::move(e));
    directory = directory.subspan(total);
  }
  return entries;
}

std::span<const std::byte> zip_payload(std::span<const std::byte> bytes, const ZipEntry& entry,
                                       const std::string& name) {
  const Reader in(bytes, name);
  if (entry.flags & 1)
    throw InputError(name + " is encrypted, which Plumb does not read; save it without a password");
  if (entry.method != 0 && entry.method != 8)
    throw InputError(name + " is compressed with method " + std::to_string(entry.method) +
                     ", which Plumb does not read; save it with numpy's savez or savez_compressed");
  // The name and extra field of the local header may differ in length from the directory's.
  const auto local = in.part(entry.offset, 30, "member");
  if (number(local, 0, 4) != 0x04034b50) in.refuse("a member has no local header");
  return in.part(entry.offset + 30 + number(local, 26, 2) + number(local, 28, 2), entry.compressed, "member");
}

}  // namespace plumb::detail
