#include "class_names.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "plumb/data/check.hpp"
#include "plumb/data/utf8.hpp"

namespace plumb::cli {
namespace {

std::string joined(const Args& names) {
  constexpr std::size_t kMost = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) out += (i == 0 ? "" : ",") + names[i];
  return out + (names.size() > kMost ? ",..." : "");
}

/// How many characters of each name are what all begin with, up to a mark ("p_", "P(").
std::size_t shared_beginning(const Args& names, std::string_view marks) {
  std::size_t n = names.front().size();
  for (const std::string& name : names) {
    const auto differ = std::mismatch(name.begin(), name.end(), names.front().begin(), names.front().end());
    n = std::min<std::size_t>(n, differ.first - name.begin());
  }
  while (n > 0 && marks.find(names.front()[n - 1]) == std::string_view::npos) --n;
  return n;
}

void reverse_all(Args& names) {
  for (std::string& name : names) std::reverse(name.begin(), name.end());
}

Args without_shared_parts(const Args& names) {
  Args out = names;
  for (std::string& name : out) name.erase(0, shared_beginning(names, "_.-: (/"));
  reverse_all(out);
  const std::size_t end = shared_beginning(out, "_.-: )/");
  for (std::string& name : out) name.erase(0, end);
  reverse_all(out);
  const bool empty = std::any_of(out.begin(), out.end(), [](const std::string& s) { return s.empty(); });
  return empty ? names : out;
}

/// The numbers at the ends of the names, where nothing else tells them apart.
std::optional<std::vector<int>> numbers(const Args& names) {
  std::vector<int> out;
  std::string_view before;
  for (const std::string& name : names) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    int number = 0;
    const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), number);
    const std::string_view text = std::string_view(name).substr(0, digits);
    if (error != std::errc{} || (!out.empty() && text != before)) return std::nullopt;
    before = text;
    out.push_back(number);
  }
  return out;
}

}  // namespace

Args names_in_file(const std::string& word) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(word, error)) return {word};
  if (std::filesystem::file_size(word, error) > kMostBytes || error)
    throw InputError(word + ": --classes takes a text file with one name a line, of 1 MiB at most");
  std::ifstream file(word);
  Args out;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!detail::valid_utf8(line))
      throw InputError(word + ": line " + std::to_string(out.size() + 1) +
                       " is not UTF-8 text; --classes takes a text file with one name a line");
    out.push_back(line);
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].empty())
      throw InputError(word + ": line " + std::to_string(i + 1) +
                       " is empty; --classes takes one name a line");
  if (out.empty()) throw InputError(word + " is empty; --classes takes one name a line");
  return out;
}

Args header_classes(const Rows& rows) {
  if (rows.empty() || rows.width() < 2 || rows.rank() > 2) return {};
  const Args& columns = rows.shards().front().columns;
  if (std::ssize(columns) != rows.width()) return {};
  if (const auto counted_off = numbers(columns)) {
    std::vector<int> sorted = *counted_off;
    std::sort(sorted.begin(), sorted.end());
    const bool one_by_one = std::adjacent_find(sorted.begin(), sorted.end(),
                                               [](int a, int b) { return b != a + 1; }) == sorted.end();
    if (one_by_one && sorted.front() <= 1 && sorted != *counted_off)
      throw InputError(rows.name() + ": the columns are numbered " + joined(columns) +
                       ", which is not the order of the classes; select them in order");
    return {};
  }
  return without_shared_parts(columns);
}

Args sorted_classes(const Rows& labels, int classes) {
  std::unordered_set<std::string_view> seen;
  for (std::int64_t i = 0; i < labels.rows(); ++i)
    for (std::int64_t j = 0; j < labels.width(); ++j)
      if (!labels.text(i, j).empty()) seen.insert(labels.text(i, j));
  Args out(seen.begin(), seen.end());
  std::sort(out.begin(), out.end());
  if (std::ssize(out) == classes) return out;
  for (std::string& name : out) name = detail::visible(name);
  throw InputError(labels.name() + " has " + counted(std::ssize(out), "different label") + " (" +
                   joined(out) + ") but the predictions have " + std::to_string(classes) +
                   " classes; name all of them in their order with --classes a,b,c");
}

std::string sorted_note(const std::string& labels, const Args& classes) {
  constexpr std::size_t kMost = 8;
  std::string order;
  for (std::size_t k = 0; k < std::min(kMost, classes.size()); ++k)
    order += (k == 0 ? "" : ", ") + detail::visible(classes[k]) + " is class " + std::to_string(k);
  if (classes.size() > kMost) order += ", ...";
  return labels + " is text and nothing says which class is which, so the labels were sorted: " + order +
         "; " + opt("classes") + " gives another order";
}

void check_class_order(const std::string& source, const Args& names, const std::string& other,
                       const Args& classes) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = std::find(classes.begin(), classes.end(), names[i]);
    if (at == classes.end() || at - classes.begin() == static_cast<std::ptrdiff_t>(i)) continue;
    throw InputError(source + " has the columns " + joined(names) + ", but the classes of " + other +
                     " are " + joined(classes) + "; put them in the same order");
  }
}

}  // namespace plumb::cli
