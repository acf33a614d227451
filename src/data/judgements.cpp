// Votes of raters who are known by name: ratings by column, judgements one by one.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "plumb/data/votes.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb {
namespace {

/// One row per item, so that callers that need the number of items or their names need not know the kind.
Rows item_rows(const std::shared_ptr<const Judgements>& judgements, const std::string& name) {
  Array a;
  a.dtype = DType::i64;
  a.shape = {std::ssize(judgements->offset) - 1};
  a.strides = {sizeof(std::int64_t)};
  a.data = reinterpret_cast<const std::byte*>(judgements->offset.data());
  a.owner = judgements;
  a.name = name;
  return Rows(std::move(a));
}

}  // namespace

Votes::Votes(Judgements judgements, int classes, NamesPtr raters, const std::string& name)
    : classes_(classes),
      kind_(Kind::judgements),
      rater_names_(std::move(raters)),
      judgements_(std::make_shared<const Judgements>(std::move(judgements))) {
  rows_ = item_rows(judgements_, name);
}

Votes Votes::from_judgements(Judgements judgements, int classes, std::vector<std::string> rater_names,
                             const std::string& name) {
  const auto is_class = [&](std::uint32_t k) { return k < static_cast<std::uint32_t>(classes); };
  const auto is_rater = [&](std::uint32_t r) { return r < rater_names.size(); };
  const std::size_t n = judgements.cls.size();
  if (judgements.offset.empty() || judgements.offset.back() != std::ssize(judgements.cls) ||
      (!judgements.rater.empty() && judgements.rater.size() != n) ||
      !std::all_of(judgements.cls.begin(), judgements.cls.end(), is_class) ||
      !std::all_of(judgements.rater.begin(), judgements.rater.end(), is_rater))
    throw std::invalid_argument(name + ": judgements of unknown raters or classes");
  NamesPtr names;
  if (!judgements.rater.empty())
    names = std::make_shared<const std::vector<std::string>>(std::move(rater_names));
  return {std::move(judgements), classes, std::move(names), name};
}

int Votes::raters() const {
  if (kind_ == Kind::ratings) return narrow<int>(rows_.width());
  return rater_names_ ? narrow<int>(rater_names_->size()) : 0;
}

std::string Votes::rater_name(int rater) const {
  return rater_names_ ? rater_names_->at(rater) : std::to_string(rater);
}

void Votes::read_judgements(std::int64_t begin, std::int64_t end, Judgements& out) const {
  out.offset.assign(1, 0);
  out.rater.clear();
  out.cls.clear();
  if (kind_ == Kind::judgements) {
    const Judgements& all = *judgements_;
    const std::int64_t first = all.offset[begin], last = all.offset[end];
    for (std::int64_t i = begin; i < end; ++i) out.offset.push_back(all.offset[i + 1] - first);
    if (!all.rater.empty()) out.rater.assign(all.rater.begin() + first, all.rater.begin() + last);
    out.cls.assign(all.cls.begin() + first, all.cls.begin() + last);
    return;
  }
  std::vector<std::int32_t> ratings;
  read_ratings(begin, end, ratings);
  const std::int64_t width = rows_.width();
  for (std::int64_t i = 0; i < std::ssize(ratings); i += width) {
    for (std::int64_t r = 0; r < width; ++r) {
      if (ratings[i + r] < 0) continue;
      out.rater.push_back(narrow<std::uint32_t>(r));
      out.cls.push_back(ratings[i + r]);
    }
    out.offset.push_back(std::ssize(out.cls));
  }
}

Votes Votes::gather_judgements(std::span<const std::int64_t> rows) const {
  const Judgements& all = *judgements_;
  Judgements out;
  out.offset.reserve(rows.size() + 1);
  for (const std::int64_t row : rows) {
    const std::int64_t first = all.offset.at(row), last = all.offset.at(row + 1);
    out.cls.insert(out.cls.end(), all.cls.begin() + first, all.cls.begin() + last);
    if (!all.rater.empty())
      out.rater.insert(out.rater.end(), all.rater.begin() + first, all.rater.begin() + last);
    out.offset.push_back(std::ssize(out.cls));
  }
  return {std::move(out), classes_, rater_names_, rows_.name() + " (selected rows)"};
}

Votes Votes::of_rater(int rater) const {
  if (rater < 0 || rater >= raters())
    throw std::out_of_range(fmt::format("Votes::of_rater: {} of {}", rater, raters()));
  const std::string name = fmt::format("{} (rater {})", rows_.name(), rater_name(rater));
  if (kind_ == Kind::ratings) {
    std::vector<Array> shards = rows_.shards();
    for (Array& a : shards) {
      if (a.shape.size() == 2) {
        a.data += rater * a.strides[1];
        a.shape.pop_back();
        a.strides.pop_back();
      }
      a.columns.clear();
      a.name = name;
    }
    return {Rows(std::move(shards)), classes_, Kind::ratings};
  }
  const Judgements& all = *judgements_;
  Judgements own;
  own.offset.reserve(all.offset.size());
  for (std::int64_t i = 0; i + 1 < std::ssize(all.offset); ++i) {
    const auto first = all.rater.begin() + all.offset[i], last = all.rater.begin() + all.offset[i + 1];
    const auto [from, to] = std::equal_range(first, last, static_cast<std::uint32_t>(rater));
    own.cls.insert(own.cls.end(), all.cls.begin() + (from - all.rater.begin()),
                   all.cls.begin() + (to - all.rater.begin()));
    own.offset.push_back(std::ssize(own.cls));
  }
  return {std::move(own), classes_, nullptr, name};
}

}  // namespace plumb
