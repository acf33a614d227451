#include "plumb/io/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/text.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"

namespace plumb {
namespace {

constexpr std::string_view kRunMagic = "PLUMBRUN";
constexpr std::uint32_t kRunFormat = 1;

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

template <class T>
void append_raw(std::string& out, T x) {
  out.append(reinterpret_cast<const char*>(&x), sizeof x);
}

void append_text(std::string& out, std::string_view text) {
  append_raw(out, std::uint64_t{text.size()});
  out += text;
}

std::string dependency_bytes(const Dependencies& on) {
  std::string out;
  append_raw(out, std::uint64_t{on.size()});
  for (const auto& [name, value] : on) {
    append_text(out, name);
    append_text(out, value);
  }
  return out;
}

/// Length, checksum, payload.
std::string sealed(std::string_view payload) {
  std::string out;
  append_raw(out, std::uint64_t{payload.size()});
  append_raw(out, fnv1a(payload));
  out += payload;
  return out;
}

/// Reads forward; `whole` is false once the bytes have run out.
struct JournalCursor {
  std::string_view in;
  bool whole = true;
  template <class T>
  T raw() {
    T x{};
    if (in.size() < sizeof x) {
      whole = false;
      in = {};
      return x;
    }
    std::memcpy(&x, in.data(), sizeof x);
    in.remove_prefix(sizeof x);
    return x;
  }
  std::string_view text() {
    const auto n = raw<std::uint64_t>();
    if (n > in.size()) {
      whole = false;
      in = {};
    }
    const std::string_view out = in.substr(0, whole ? n : 0);
    in.remove_prefix(out.size());
    return out;
  }
  Dependencies dependencies() {
    Dependencies out;
    for (auto n = raw<std::uint64_t>(); n > 0 && whole; --n) {
      const std::string_view name = text();
      out.emplace_back(name, text());
    }
    return out;
  }
};

[[noreturn]] void damaged_journal(const std::string& path) {
  throw InputError(path + " is damaged; delete it, or name another file, and start again");
}

/// One sealed payload; nothing when the file ends before it does.
std::optional<std::string_view> next_payload(std::string_view bytes, std::size_t& at,
                                             const std::string& path) {
  JournalCursor head{bytes.substr(at)};
  const auto length = head.raw<std::uint64_t>(), sum = head.raw<std::uint64_t>();
  if (!head.whole || length > head.in.size()) return std::nullopt;
  const std::string_view payload = head.in.substr(0, length);
  const std::size_t end = bytes.size() - head.in.size() + length;
  if (fnv1a(payload) != sum) {
    if (end == bytes.size()) return std::nullopt;  // the length was on the disk before the rest
    damaged_journal(path);
  }
  at = end;
  return payload;
}

/// What differs first, or nothing.
std::optional<std::string> difference(const Dependencies& was, const Dependencies& is) {
  for (std::size_t i = 0; i < std::max(was.size(), is.size()); ++i) {
    if (i >= was.size() || i >= is.size()) return (i < was.size() ? was : is)[i].first;
    if (was[i] != is[i]) return is[i].first;
  }
  return std::nullopt;
}

}  // namespace

std::map<std::string, Journal::Record> Journal::parse(std::string_view bytes, const std::string& path,
                                                      Dependencies& on, std::size_t& end) {
  if (!bytes.starts_with(kRunMagic))
    throw InputError(path + " was not written by ⟦resume⟧; name a file that does not exist yet");
  JournalCursor head{bytes.substr(kRunMagic.size())};
  const auto format = head.raw<std::uint32_t>();
  if (head.whole && format != kRunFormat)
    throw InputError(path + " has format " + std::to_string(format) + " and this version reads format " +
                     std::to_string(kRunFormat) + "; delete it, or name another file, and start again");
  end = bytes.size() - head.in.size();
  const std::optional<std::string_view> first = next_payload(bytes, end, path);
  if (!head.whole || !first) damaged_journal(path);
  JournalCursor about{*first};
  on = about.dependencies();
  if (!about.whole || !about.in.empty()) damaged_journal(path);
  std::map<std::string, Record> out;
  while (end < bytes.size()) {
    const std::optional<std::string_view> payload = next_payload(bytes, end, path);
    if (!payload) break;
    JournalCursor in{*payload};
    const std::string name(in.text());
    Record record{in.dependencies(), {}};
    record.bytes = in.text();
    if (!in.whole || !in.in.empty()) damaged_journal(path);
    out[name] = std::move(record);
  }
  return out;
}

Journal::Journal(std::string path, const Dependencies& on) : path_(std::move(path)) {
  struct stat info {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode))
    throw InputError(path_ + " is not a regular file, and a run can be resumed only from one");
  if (!exists || info.st_size == 0) {
    std::string head(kRunMagic);
    append_raw(head, kRunFormat);
    write_file(path_, head + sealed(dependency_bytes(on)));
  }
  fd_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (fd_ < 0) throw InputError("cannot write " + path_ + ": " + detail::system_reason(errno));
  try {
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw InputError(path_ + " is in use by another run; wait for it, or name another file");
    file_ = MappedFile::open(path_);
    const std::string_view bytes(reinterpret_cast<const char*>(file_->bytes().data()), file_->bytes().size());
    Dependencies was;
    std::size_t end = 0;
    records_ = parse(bytes, path_, was, end);
    if (const auto what = difference(was, on))
      throw InputError(path_ + " was begun with another " + *what +
                       "; give the same again, or name another file");
    if (end < bytes.size() && ::ftruncate(fd_, static_cast<off_t>(end)) != 0)
      throw InputError("cannot write " + path_ + ": " + detail::system_reason(errno));
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

Journal::~Journal() { ::close(fd_); }

std::optional<std::string> Journal::load(const std::string& name, const Dependencies& on) const {
  const auto at = records_.find(name);
  if (at == records_.end()) return std::nullopt;
  if (const auto what = difference(at->second.on, on))
    throw InputError("case " + name + ": " + *what + " has changed since it was saved in " + path_ +
                     "; delete that file, or name another, and start again");
  return std::string(at->second.bytes);
}

void Journal::save(const std::string& name, const Dependencies& on, std::string_view bytes) {
  std::string payload;
  append_text(payload, name);
  payload += dependency_bytes(on);
  append_text(payload, bytes);
  append(sealed(payload));
}

void Journal::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw InputError("cannot write " + path_ + ": " + detail::system_reason(errno));
    bytes.remove_prefix(n);
  }
  if (::fdatasync(fd_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
    throw InputError("cannot write " + path_ + ": " + detail::system_reason(errno));
}

}  // namespace plumb
