#include "plumb/data/class_names.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "data/recent_texts.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/utf8.hpp"

namespace plumb {
namespace {

std::string first_names(const ClassNames& names) {
  constexpr std::size_t kMost = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) out += (i == 0 ? "" : ", ") + names[i];
  return out + (names.size() > kMost ? ", ..." : "");
}

/// The length of the common prefix of all names, up to a mark ("p_", "P(").
std::size_t shared_beginning(const ClassNames& names, std::string_view marks) {
  std::size_t n = names.front().size();
  for (const std::string& name : names) {
    const auto differ = std::mismatch(name.begin(), name.end(), names.front().begin(), names.front().end());
    n = std::min<std::size_t>(n, differ.first - name.begin());
  }
  while (n > 0 && marks.find(names.front()[n - 1]) == std::string_view::npos) --n;
  return n;
}

void reverse_all(ClassNames& names) {
  for (std::string& name : names) std::reverse(name.begin(), name.end());
}

ClassNames without_shared_parts(const ClassNames& names) {
  ClassNames out = names;
  for (std::string& name : out) name.erase(0, shared_beginning(names, "_.-: (/"));
  reverse_all(out);
  const std::size_t end = shared_beginning(out, "_.-: )/");
  for (std::string& name : out) name.erase(0, end);
  reverse_all(out);
  const bool empty = std::any_of(out.begin(), out.end(), [](const std::string& s) { return s.empty(); });
  return empty ? names : out;
}

/// The numbers at the ends of the names, where nothing else tells them apart.
std::optional<std::vector<int>> ending_numbers(const ClassNames& names) {
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

ClassNames header_classes(const Rows& rows) {
  if (rows.empty() || rows.width() < 2 || rows.rank() > 2) return {};
  const ClassNames& columns = rows.shards().front().columns;
  if (std::ssize(columns) != rows.width()) return {};
  if (const auto counted_off = ending_numbers(columns)) {
    std::vector<int> sorted = *counted_off;
    std::sort(sorted.begin(), sorted.end());
    const bool one_by_one = std::adjacent_find(sorted.begin(), sorted.end(),
                                               [](int a, int b) { return b != a + 1; }) == sorted.end();
    if (one_by_one && sorted.front() <= 1 && sorted != *counted_off)
      throw InputError(rows.name() + ": the columns are numbered " + first_names(columns) +
                       ", which is not the order of the classes; select them in order");
    return {};
  }
  return without_shared_parts(columns);
}

ClassNames sorted_classes(const Rows& labels, int classes) {
  std::unordered_set<std::string_view> seen;
  detail::RecentTexts recent;
  for (const Array& a : labels.shards())
    for (std::int64_t i = 0; i < a.text->size(); ++i) {
      const std::string_view text = (*a.text)[i];
      if (text.empty() || recent.find(text) != nullptr) continue;
      seen.insert(text);
      recent.remember(text, 0);
    }
  ClassNames out(seen.begin(), seen.end());
  std::sort(out.begin(), out.end());
  if (classes == 0 || std::ssize(out) == classes) return out;
  for (std::string& name : out) name = detail::visible(name);
  throw InputError(labels.name() + " has " + counted(std::ssize(out), "different label") + " (" +
                   first_names(out) + ") but the predictions have " + std::to_string(classes) +
                   " classes; name all of them in their order with ⟦classes⟧ a,b,c");
}

std::string sorted_note(const std::string& labels, const ClassNames& classes) {
  constexpr std::size_t kMost = 8;
  std::string order;
  for (std::size_t k = 0; k < std::min(kMost, classes.size()); ++k)
    order += (k == 0 ? "" : ", ") + detail::visible(classes[k]) + " is class " + std::to_string(k);
  if (classes.size() > kMost) order += ", ...";
  return labels + " is text and the order of the classes is not given, so the labels were sorted: " + order +
         "; " + opt("classes") + " gives another order";
}

int count_classes(const Rows& labels) {
  constexpr std::int64_t kBlock = 65536;
  constexpr double kMostClasses = 100000;
  std::vector<double> block;
  double largest = 0;
  for (std::int64_t begin = 0; begin < labels.rows(); begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, labels.rows());
    block.resize((end - begin) * labels.width());
    labels.read(begin, end, block);
    for (const double x : block)
      if (!std::isnan(x)) largest = std::max(largest, x);
  }
  if (largest >= kMostClasses)
    throw InputError(labels.name() + " has the class " + show(largest) +
                     "; classes are numbers from 0, or names");
  return std::max(2, static_cast<int>(largest) + 1);
}

void check_class_order(const std::string& source, const ClassNames& names, const std::string& other,
                       const ClassNames& classes) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = std::find(classes.begin(), classes.end(), names[i]);
    if (at == classes.end() || at - classes.begin() == static_cast<std::ptrdiff_t>(i)) continue;
    throw InputError(source + " has the columns " + first_names(names) + ", but the classes of " + other +
                     " are " + first_names(classes) + "; put them in the same order");
  }
}

}  // namespace plumb
