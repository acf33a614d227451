// Files for the tests of readers: a directory that goes away, and small .npy and .npz files made byte
// by byte.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/array.hpp"
#include "plumb/data/check.hpp"

namespace plumb {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "plumb-io-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return *this / name;
  }
  [[nodiscard]] std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& e : std::filesystem::directory_iterator(path_))
      names.push_back(e.path().filename().string());
    return names;
  }

 private:
  std::filesystem::path path_;
};

/// Drops root's privileges for a while, where the tests run as root.
class AsOrdinaryUser {
 public:
  AsOrdinaryUser() : was_root_(::geteuid() == 0 && ::seteuid(65534) == 0) {}
  AsOrdinaryUser(const AsOrdinaryUser&) = delete;
  AsOrdinaryUser& operator=(const AsOrdinaryUser&) = delete;
  ~AsOrdinaryUser() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::span<const std::byte> as_span(std::string_view s) { return std::as_bytes(std::span(s)); }

/// The message of the InputError that f throws.
template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no complaint";
}

inline std::vector<double> values_of(const Array& a) {
  const Rows rows(a);
  std::vector<double> v(static_cast<std::size_t>(rows.rows() * rows.width()));
  rows.read(0, rows.rows(), v);
  return v;
}

inline std::vector<std::string> texts_of(const Array& a) {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < a.text->size(); ++i) out.emplace_back((*a.text)[i]);
  return out;
}

inline std::string little(std::uint64_t v, int n) {
  std::string s;
  for (int i = 0; i < n; ++i) s += static_cast<char>(v >> (8 * i));
  return s;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A version-1 .npy with this dictionary, as it stands, and these bytes of data.
inline std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string s = "\x93NUMPY";
  s += static_cast<char>(version);
  s += '\0';
  return s + little(dictionary.size(), version == 1 ? 2 : 4) + dictionary + data;
}
inline std::string npy_of(const std::string& descr, const std::string& shape, const std::string& data,
                          const std::string& fortran = "False") {
  return npy("{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n",
             data);
}

struct Member {
  std::string name;
  std::string content;
  bool deflate = false;
  bool zip64 = false;
  int pad = 0;  ///< bytes of extra field in the local header, to move the data
};

inline std::string deflated(const std::string& s) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, s.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(s.data()));
  z.avail_in = static_cast<uInt>(s.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

inline std::string zip(const std::vector<Member>& members, const std::string& comment = "") {
  std::string file, directory;
  bool zip64 = false;
  for (const Member& m : members) {
    const std::string packed = m.deflate ? deflated(m.content) : m.content;
    const auto crc =
        ::crc32(0, reinterpret_cast<const Bytef*>(m.content.data()), static_cast<uInt>(m.content.size()));
    const std::string method = little(m.deflate ? 8 : 0, 2);
    const std::uint64_t offset = file.size();
    const std::string pad = m.pad > 0 ? little(0xfeed, 2) + little(static_cast<std::uint64_t>(m.pad - 4), 2) +
                                            std::string(static_cast<std::size_t>(m.pad - 4), 'x')
                                      : "";
    file += "PK\x03\x04" + little(20, 2) + little(0, 2) + method + little(0, 4) + little(crc, 4) +
            little(packed.size(), 4) + little(m.content.size(), 4) + little(m.name.size(), 2) +
            little(pad.size(), 2) + m.name + pad + packed;
    const auto field = [&](std::uint64_t v) { return m.zip64 ? std::string(4, '\xff') : little(v, 4); };
    const std::string extra = m.zip64 ? little(1, 2) + little(24, 2) + little(m.content.size(), 8) +
                                            little(packed.size(), 8) + little(offset, 8)
                                      : "";
    directory += "PK\x01\x02" + little(20, 2) + little(20, 2) + little(0, 2) + method + little(0, 4) +
                 little(crc, 4) + field(packed.size()) + field(m.content.size()) + little(m.name.size(), 2) +
                 little(extra.size(), 2) + little(0, 8) + little(0, 2) + field(offset) + m.name + extra;
    zip64 = zip64 || m.zip64;
  }
  const std::uint64_t start = file.size();
  file += directory;
  if (zip64) {
    const std::uint64_t end64 = file.size();
    file += "PK\x06\x06" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
            little(members.size(), 8) + little(members.size(), 8) + little(directory.size(), 8) +
            little(start, 8);
    file += "PK\x06\x07" + little(0, 4) + little(end64, 8) + little(1, 4);
  }
  const auto field = [&](std::uint64_t v, int n) {
    return zip64 ? std::string(static_cast<std::size_t>(n), '\xff') : little(v, n);
  };
  return file + "PK\x05\x06" + little(0, 4) + field(members.size(), 2) + field(members.size(), 2) +
         field(directory.size(), 4) + field(start, 4) + little(comment.size(), 2) + comment;
}

}  // namespace plumb
