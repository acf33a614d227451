#include "plumb/data/votes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_map>

#include "data/recent_texts.hpp"
#include "data/shared/complaints.hpp"
#include "data/shared/growing_bytes.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr std::int32_t kNotRated = -1;

std::string listed(const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t kListed = 8;
  const auto end = names.begin() + std::min(std::ssize(names), kListed);
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "), std::ssize(names) > kListed ? ", ..." : "");
}

/// Text becomes class indices; empty text in ratings becomes "not rated".
Rows classes_by_name(const Rows& rows, const std::vector<std::string>& class_names, int classes,
                     bool ratings) {
  if (class_names.empty())
    throw InputError(
        fmt::format("{} holds text; name the classes in order with ⟦classes⟧ a,b,c", rows.name()));
  check_class_names(class_names, classes);
  std::unordered_map<std::string_view, std::int32_t> index;
  for (std::size_t k = 0; k < class_names.size(); ++k) index.emplace(class_names[k], k);
  detail::RecentTexts recent;
  std::vector<Array> shards;
  std::int64_t row = 0;
  for (const Array& a : rows.shards()) {
    detail::GrowingNumbers<std::int32_t> codes;
    for (std::int64_t i = 0; i < a.shape[0]; ++i, ++row) {
      for (std::int64_t j = 0; j < rows.width(); ++j) {
        const std::string_view text = (*a.text)[i * rows.width() + j];
        if (const std::int32_t* const known = recent.find(text); known != nullptr) {
          codes.push_back(*known);
          continue;
        }
        const auto found = index.find(text);
        if (text.empty() && !ratings && found == index.end())
          throw InputError(fmt::format("{} is empty or null; fill it or leave out the row",
                                       detail::cell_of(rows, row, j)));
        if (found == index.end() && !text.empty())
          throw InputError(fmt::format("{} is \"{}\", which is not among the classes {}{}",
                                       detail::cell_of(rows, row, j), text, listed(class_names),
                                       did_you_mean(text, class_names)));
        recent.remember(text, found == index.end() ? kNotRated : found->second);
        codes.push_back(*recent.find(text));
      }
    }
    shards.push_back(std::move(codes).take(a.shape, a.name));
    shards.back().first_row = a.first_row;
    shards.back().columns = a.columns;
  }
  return Rows(std::move(shards));
}

/// The names as numbers, where every one of them is a number; otherwise none.
std::vector<double> as_numbers(const std::vector<std::string>& names) {
  std::vector<double> out;
  for (const std::string& name : names) {
    double x = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data(), end, x);
    if (error != std::errc{} || stop != end || !std::isfinite(x)) return {};
    out.push_back(x);
  }
  return out;
}

/// Numbers among classes whose names are numbers: `3` is the class of that name, as `cat` is. Names that are
/// 0 .. K-1 in another order would be positions to one reader and names to another, and are refused.
Rows classes_by_number(const Rows& rows, const std::vector<std::string>& class_names, int classes,
                       bool ratings) {
  const std::vector<double> names = as_numbers(class_names);
  if (names.empty()) return rows;
  std::vector<double> position(names.size()), sorted = names;
  std::iota(position.begin(), position.end(), 0.0);
  if (names == position) return rows;
  check_class_names(class_names, classes);
  std::sort(sorted.begin(), sorted.end());
  if (sorted == position)
    throw InputError(fmt::format(
        "⟦classes⟧ {} are whole numbers in a different order from the columns of the predictions, so a {} of {} may be a position or a name; use words as names, or put the columns in the order 0, 1, ...",
        fmt::join(class_names, ","), ratings ? "rating" : "label", class_names.front()));
  std::unordered_map<double, std::int32_t> index;
  for (std::size_t k = 0; k < names.size(); ++k) index.emplace(names[k], k);
  std::vector<Array> shards;
  std::int64_t row = 0;
  std::vector<double> values(rows.width());
  for (const Array& a : rows.shards()) {
    detail::GrowingNumbers<std::int32_t> codes;
    for (std::int64_t i = 0; i < a.shape[0]; ++i, ++row) {
      rows.read(row, row + 1, values);
      for (std::int64_t j = 0; j < rows.width(); ++j) {
        const auto found = index.find(values[j]);
        if (found == index.end() && !(ratings && !(values[j] >= 0)))
          throw InputError(fmt::format("{} is {}, which is not among the classes {}",
                                       detail::cell_of(rows, row, j), show(values[j]), listed(class_names)));
        codes.push_back(found == index.end() ? kNotRated : found->second);
      }
    }
    shards.push_back(std::move(codes).take(a.shape, a.name));
    shards.back().first_row = a.first_row;
    shards.back().columns = a.columns;
  }
  return Rows(std::move(shards));
}

Rows as_classes(Rows rows, const std::vector<std::string>& names, int classes, bool ratings) {
  return rows.is_text() ? classes_by_name(rows, names, classes, ratings)
                        : classes_by_number(rows, names, classes, ratings);
}

}  // namespace

std::uint32_t VoteBlock::hits(std::int64_t i, std::uint32_t k) const {
  if (single) return cls[i] == k ? 1 : 0;
  for (std::uint32_t e = offset[i]; e < offset[i + 1]; ++e)
    if (cls[e] == k) return count[e];
  return 0;
}

std::int64_t VoteBlock::majority(std::int64_t i) const {
  if (single) return cls[i];
  std::int64_t best = -1;
  std::uint32_t most = 0;
  for (std::uint32_t e = offset[i]; e < offset[i + 1]; ++e) {
    if (count[e] <= most) continue;
    most = count[e];
    best = cls[e];
  }
  return best;
}

void VoteBlock::majority_classes(std::int64_t i, std::vector<std::uint32_t>& out) const {
  out.clear();
  if (single) {
    out.push_back(cls[i]);
    return;
  }
  std::uint32_t most = 0;
  for (std::uint32_t e = offset[i]; e < offset[i + 1]; ++e) {
    if (count[e] > most) out.clear();
    most = std::max(most, count[e]);
    if (count[e] == most) out.push_back(cls[e]);
  }
}

const char* ties_name(Ties ties) {
  switch (ties) {
    case Ties::half:
      return "half";
    case Ties::absent:
      return "absent";
    case Ties::lowest:
      return "lowest";
    case Ties::random:
      return "random";
  }
  return "";
}

Votes Votes::from_labels(Rows rows, int classes, std::vector<std::string> class_names) {
  if (rows.width() != 1) {
    throw InputError(fmt::format(
        "{}; ⟦labels⟧ takes one class per item; use ⟦ratings⟧ for several raters or ⟦counts⟧ for votes by class",
        detail::shape_of(rows)));
  }
  return {as_classes(std::move(rows), class_names, classes, false), classes, Kind::labels};
}

Votes Votes::from_counts(Rows rows, int classes) {
  if (rows.is_text()) throw InputError(fmt::format("{} holds text; counts must be numbers", rows.name()));
  if (rows.rank() != 2 || rows.width() != classes) {
    throw InputError(fmt::format("{} but there are {} classes; ⟦counts⟧ needs one column per class{}",
                                 detail::shape_of(rows), classes,
                                 classes == 2 ? ": votes for class 0, votes for class 1" : ""));
  }
  return {std::move(rows), classes, Kind::counts};
}

Votes Votes::from_ratings(Rows rows, int classes, std::vector<std::string> class_names) {
  if (rows.rank() > 2 || rows.width() == 0)
    throw InputError(fmt::format("{}; ⟦ratings⟧ takes N x R, one column per rater", detail::shape_of(rows)));
  NamesPtr raters;  // a name that occurs twice does not identify a rater
  if (!rows.empty() && std::ssize(rows.shards().front().columns) == rows.width()) {
    const std::vector<std::string>& columns = rows.shards().front().columns;
    if (std::set<std::string>(columns.begin(), columns.end()).size() == columns.size())
      raters = std::make_shared<const std::vector<std::string>>(columns);
  }
  return {as_classes(std::move(rows), class_names, classes, true), classes, Kind::ratings, std::move(raters)};
}

Votes Votes::gather(std::span<const std::int64_t> rows) const {
  if (kind_ == Kind::judgements) return gather_judgements(rows);
  return {rows_.gather(rows), classes_, kind_, rater_names_};
}

}  // namespace plumb
