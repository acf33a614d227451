#include "plumb/io/npz.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "io/memory.hpp"
#include "io/text.hpp"
#include "io/zip.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

using detail::ZipEntry;

std::uint32_t crc_of(std::uint32_t crc, std::span<const std::byte> bytes) {
  return crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

/// Unpacks a deflated member piece by piece, exactly as many bytes as are asked for.
class Inflater {
 public:
  Inflater(std::span<const std::byte> packed, const std::string& name) : packed_(packed), name_(name) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  void read(std::span<std::byte> out) {
    std::span<std::byte> rest = out;
    while (!rest.empty()) {
      if (!step(rest)) throw InputError(name_ + " is damaged: its compressed data end early");
    }
    crc_ = crc_of(crc_, out);
  }
  /// Nothing may follow the last byte asked for.
  void finish() {
    std::array<std::byte, 1> more;
    std::span<std::byte> rest = more;
    while (step(rest)) {
      if (rest.empty())
        throw InputError(name_ + " is damaged: it decompresses to more than its header declares");
    }
    if (!packed_.empty()) throw InputError(name_ + " is damaged: bytes are left after its compressed data");
  }
  [[nodiscard]] std::uint32_t crc() const { return crc_; }

 private:
  /// Fills as much of `out` as one call can; false at the end of the stream.
  bool step(std::span<std::byte>& out) {
    if (ended_) return false;
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
    const std::size_t in = std::min(packed_.size(), kMost), room = std::min(out.size(), kMost);
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed_.data()));
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    packed_ = packed_.subspan(in - stream_.avail_in);
    out = out.subspan(room - stream_.avail_out);
    ended_ = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END)
      throw InputError(name_ + (packed_.empty() ? " is damaged: its compressed data end early"
                                                : " is damaged: its compressed data cannot be decompressed"));
    return true;
  }

  z_stream stream_{};
  std::span<const std::byte> packed_;
  const std::string& name_;
  std::uint32_t crc_ = 0;
  bool ended_ = false;
};

void check_crc(std::uint32_t found, const ZipEntry& e, const std::string& name) {
  if (found != e.crc) throw InputError(name + " is damaged: its checksum does not match its content");
}

void check_size(const NpyHeader& h, const ZipEntry& e, const std::string& name) {
  if (h.data_offset + h.data_bytes != e.size)
    throw InputError(name + " is damaged: its header (" + show_shape(h.shape) + ") requires " +
                     std::to_string(h.data_bytes) + " bytes of data, but the archive lists " +
                     std::to_string(e.size - std::min<std::uint64_t>(e.size, h.data_offset)));
}

Array inflated(std::span<const std::byte> packed, const ZipEntry& e, const std::string& name) {
  // Deflate expands by a factor of at most 1032: a larger claim is false and is refused without allocating.
  if (e.size / 1032 > packed.size())
    throw InputError(name + " is damaged: it claims to decompress to " + std::to_string(e.size) + " bytes");
  Inflater in(packed, name);
  std::vector<std::byte> head(std::min<std::uint64_t>(e.size, 12));
  in.read(head);
  const std::size_t total = npy_header_bytes(head, name);
  if (total > e.size) throw InputError(name + " is damaged: its header is longer than the array");
  const std::size_t have = head.size();
  head.resize(std::max(total, have));
  in.read(std::span(head).subspan(have));
  NpyHeader h = parse_npy_header(head, name);
  check_size(h, e, name);
  const auto kept = detail::aligned_memory(h.data_bytes, name);
  const std::span<std::byte> data(kept.get(), h.data_bytes);
  // A version-1 header can be shorter than the 12 bytes read at first.
  const std::span<const std::byte> early = std::span(head).subspan(h.data_offset);
  std::copy(early.begin(), early.end(), data.begin());
  in.read(data.subspan(early.size()));
  in.finish();
  check_crc(in.crc(), e, name);
  return npy_array(std::move(h), data, kept, name);
}

Array stored(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const ZipEntry& e,
             const std::string& name) {
  if (bytes.size() != e.size) throw InputError(name + " is damaged: its two sizes in the archive differ");
  check_crc(crc_of(0, bytes), e, name);
  NpyHeader h = parse_npy_header(bytes, name);
  check_size(h, e, name);
  const auto data = bytes.subspan(h.data_offset);
  const std::uintptr_t alignment = std::max(dtype_size(h.dtype), 1);
  if (reinterpret_cast<std::uintptr_t>(data.data()) % alignment == 0)
    return npy_array(std::move(h), data, std::move(owner), name);
  const auto kept = detail::aligned_memory(data.size(), name);
  std::copy(data.begin(), data.end(), kept.get());
  return npy_array(std::move(h), {kept.get(), data.size()}, kept, name);
}

std::string array_name(const ZipEntry& e) { return e.name.substr(0, e.name.size() - 4); }

std::vector<ZipEntry> array_entries(std::span<const std::byte> bytes, const std::string& name) {
  std::vector<ZipEntry> entries = detail::zip_directory(bytes, name);
  std::erase_if(entries, [](const ZipEntry& e) { return !e.name.ends_with(".npy"); });
  if (entries.empty()) throw InputError(name + " is a zip archive without arrays (.npy members)");
  for (const ZipEntry& e : entries)
    if (!detail::valid_utf8(e.name)) throw InputError(name + " has an array whose name is not UTF-8 text");
  return entries;
}

std::vector<std::string> names_of(const std::vector<ZipEntry>& entries) {
  std::vector<std::string> names;
  for (const ZipEntry& e : entries) names.push_back(array_name(e));
  return names;
}

std::string listed(const std::vector<ZipEntry>& entries) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> names = names_of(entries);
  if (names.size() <= kMost) return separated(names);
  names.resize(kMost);
  return separated(names) + " and " + std::to_string(entries.size() - kMost) + " more";
}

}  // namespace

std::vector<std::string> npz_names(std::span<const std::byte> bytes, const std::string& name) {
  return names_of(array_entries(bytes, name));
}

Array parse_npz(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, std::string name,
                const std::string& member) {
  const std::vector<ZipEntry> entries = array_entries(bytes, name);
  std::vector<const ZipEntry*> found;
  for (const ZipEntry& e : entries)
    if (member.empty() || array_name(e) == member) found.push_back(&e);
  if (member.empty() && found.size() > 1)
    throw InputError(name + " holds " + std::to_string(entries.size()) + " arrays (" + listed(entries) +
                     "); choose one, for example " + name + ":" + array_name(entries.front()));
  if (found.empty())
    throw InputError(name + " has no array " + detail::in_quotes(member) +
                     did_you_mean(member, names_of(entries)) + "; it has " + listed(entries));
  if (found.size() > 1) throw InputError(name + " has more than one array " + detail::in_quotes(member));
  const ZipEntry& e = *found.front();
  name += ":" + array_name(e);
  const auto packed = detail::zip_payload(bytes, e, name);
  return e.method == 0 ? stored(packed, std::move(owner), e, name) : inflated(packed, e, name);
}

}  // namespace plumb
