// Paths, selections and patterns of load.hpp.
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "io/format.hpp"
#include "io/text.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/load.hpp"
#include "plumb/io/mapped_file.hpp"

namespace plumb {
namespace {

bool exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

bool is_pattern(std::string_view path) { return path.find_first_of("*?[") != std::string_view::npos; }

std::vector<std::string> expanded(const std::string& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths;
  if (status == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::sort(paths.begin(), paths.end(), natural_less);
  return paths;
}

/// The files that a path or a pattern means; none when it means nothing.
std::vector<std::string> files_of(const std::string& path) {
  if (exists(path)) return {path};
  return is_pattern(path) ? expanded(path) : std::vector<std::string>{};
}

[[noreturn]] void refuse(const std::string& spec) {
  // For the message: the selection begins at the first colon behind a known extension, or is absent.
  std::string path = spec;
  const std::string low = detail::lower(spec);
  std::vector<std::string> extensions;
  for (const detail::Format& f : detail::formats()) extensions.emplace_back(f.extension);
  for (const std::string& ext : extensions)
    if (const std::size_t at = low.find(ext + ":"); at != std::string::npos)
      path = spec.substr(0, at + ext.size());
  if (is_pattern(path)) throw InputError("no file matches the pattern " + path);
  std::error_code none;
  const auto target = std::filesystem::read_symlink(path, none);
  if (!none) throw InputError(path + " is a link to " + target.string() + ", which does not exist");
  throw InputError(path + " does not exist");
}

}  // namespace

bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i;
      ++j;
      continue;
    }
    const auto run = [&](const std::string& s, std::size_t& at) {
      while (at < s.size() && s[at] == '0') ++at;
      const std::size_t first = at;
      while (at < s.size() && digit(s[at])) ++at;
      return std::string_view(s).substr(first, at - first);
    };
    const std::string_view x = run(a, i), y = run(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  if (i < a.size() || j < b.size()) return j < b.size() && i >= a.size();
  return a < b;  // "a1" and "a01": some order that does not depend on the input's
}

std::vector<Source> resolve(std::span<const std::string> specs) {
  std::vector<Source> sources;
  for (const std::string& spec : specs) {
    if (spec.empty()) throw InputError("an empty file name was given");
    const std::string stream(kStandardInput);
    if (spec == stream || spec.starts_with(stream + ":")) {
      if (spec == stream + ":")
        throw InputError(spec + " ends with a colon; name a column or an array after it");
      sources.push_back({stream, spec == stream ? "" : spec.substr(stream.size() + 1)});
      continue;
    }
    // The longest path that exists is used: names of files and columns may contain colons.
    std::size_t cut = spec.size();
    std::vector<std::string> paths = files_of(spec);
    while (paths.empty() && cut > 0) {
      cut = spec.rfind(':', cut - 1);
      if (cut == std::string::npos || cut == 0) break;
      paths = files_of(spec.substr(0, cut));
    }
    if (paths.empty()) refuse(spec);
    const std::string selection = cut < spec.size() ? spec.substr(cut + 1) : "";
    if (cut + 1 == spec.size())
      throw InputError(spec + " ends with a colon; name a column or an array after it");
    for (std::string& p : paths) sources.push_back({std::move(p), selection});
  }
  return sources;
}

}  // namespace plumb
