#include "plumb/data/annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "plumb/data/check.hpp"
#include "plumb/data/utf8.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kUnmatched = std::numeric_limits<std::uint32_t>::max();

/// Quotes untrusted text for a sentence.
std::string quoted_name(const std::string& name) {
  constexpr std::size_t kMost = 60;
  return fmt::format("\"{}{}\"", detail::visible(name.substr(0, kMost)), name.size() > kMost ? "..." : "");
}

std::string examples(const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t kExamples = 3;
  std::vector<std::string> out;
  for (std::ptrdiff_t i = 0; i < std::min(std::ssize(names), kExamples); ++i)
    out.push_back(quoted_name(names[i]));
  if (std::ssize(names) > kExamples) out.emplace_back("...");
  return separated(out);
}

/// The row of the prediction that has this code among the ids.
std::vector<std::uint32_t> rows_of_ids(const Names& ids) {
  std::vector<std::uint32_t> row(ids.distinct().size(), kUnmatched);
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    std::uint32_t& at = row[ids.code(i)];
    if (at != kUnmatched)
      throw InputError(
          fmt::format("{}: {} names the predictions in row {} and in row {}; each needs its own id",
                      ids.source(), quoted_name(ids.name(i)), at, i));
    at = narrow<std::uint32_t>(i);
  }
  return row;
}

/// The prediction of each item that the annotations name.
std::vector<std::uint32_t> match(const Names& items, const Names& ids) {
  const std::vector<std::uint32_t> row_of_id = rows_of_ids(ids);
  std::unordered_map<std::string_view, std::uint32_t> known;
  known.reserve(ids.distinct().size());
  for (std::size_t c = 0; c < ids.distinct().size(); ++c) known.emplace(ids.distinct()[c], row_of_id[c]);
  std::vector<std::uint32_t> out;
  out.reserve(items.distinct().size());
  for (const std::string& name : items.distinct()) {
    const auto found = known.find(name);
    out.push_back(found == known.end() ? kUnmatched : found->second);
  }
  return out;
}

void count_unmatched(const Names& items, const Names& ids, const std::vector<std::uint32_t>& prediction,
                     JoinCounts& counts) {
  counts.items = std::ssize(items.distinct());
  std::vector<char> annotated(ids.size(), 0);
  for (std::size_t c = 0; c < prediction.size(); ++c) {
    if (prediction[c] != kUnmatched) {
      annotated[prediction[c]] = 1;
      continue;
    }
    if (counts.items_unpredicted++ == 0) counts.first_unpredicted = items.distinct()[c];
  }
  for (std::int64_t i = 0; i < ids.size(); ++i)
    if (annotated[i] == 0 && counts.unannotated++ == 0) counts.first_unannotated = ids.name(i);
  if (counts.items_unpredicted < counts.items) return;
  throw InputError(fmt::format(
      "{} names no item that {} predicts, so nothing can be joined: the annotations have {}, the predictions {}",
      items.source(), ids.source(), examples(items.distinct()), examples(ids.distinct())));
}

/// Class by judgement, -1 without one; checked.
std::vector<std::int32_t> classes_of(const Rows& label, int classes, const std::vector<std::string>& names,
                                     int threads) {
  constexpr std::int64_t kBlock = 65536;
  const Votes one_each = Votes::from_ratings(label, classes, names);
  std::vector<std::int32_t> out(label.rows());
  parallel_blocks(label.rows(), kBlock, threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t> block;
    one_each.read_ratings(begin, end, block);
    std::copy(block.begin(), block.end(), out.begin() + begin);
  });
  return out;
}

/// The rows of the annotations by prediction: those of prediction i are row[offset[i]] .. row[offset[i+1]],
/// in the order of the file.
struct RowsByItem {
  std::vector<std::int64_t> offset;
  std::vector<std::uint32_t> row;
};

RowsByItem rows_by_item(const Names& items, const std::vector<std::uint32_t>& prediction,
                        const std::vector<std::int32_t>& cls, std::int64_t predictions) {
  RowsByItem out;
  out.offset.assign(predictions + 1, 0);
  const auto target = [&](std::int64_t row) {
    return cls[row] < 0 ? kUnmatched : prediction[items.code(row)];
  };
  for (std::int64_t row = 0; row < items.size(); ++row)
    if (const std::uint32_t at = target(row); at != kUnmatched) ++out.offset[at + 1];
  for (std::size_t i = 1; i < out.offset.size(); ++i) out.offset[i] += out.offset[i - 1];
  out.row.resize(out.offset.back());
  std::vector<std::int64_t> next(out.offset.begin(), out.offset.end() - 1);
  for (std::int64_t row = 0; row < items.size(); ++row)
    if (const std::uint32_t at = target(row); at != kUnmatched)
      out.row[next[at]++] = narrow<std::uint32_t>(row);
  return out;
}

[[noreturn]] void refuse_repeated(const Annotations& a, std::uint32_t first, std::uint32_t again) {
  throw InputError(fmt::format(
      "{}: {} has judged {} before, in row {}; ⟦duplicates⟧ last takes the later one, ⟦duplicates⟧ keep counts both",
      a.label.where(again), quoted_name(a.rater.name(again)), quoted_name(a.item.name(again)), first));
}

/// Sorts the rows of each item by rater, then by place in the file, and drops repeated ones.
/// Gives how many were repeated.
std::int64_t settle_repeated(const Annotations& a, Duplicates duplicates, int threads, RowsByItem& rows) {
  constexpr std::int64_t kBlock = 4096;
  const std::int64_t n = std::ssize(rows.offset) - 1;
  std::vector<std::int64_t> repeated(n, 0);
  parallel_blocks(n, kBlock, threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto own = std::span(rows.row).subspan(rows.offset[i], rows.offset[i + 1] - rows.offset[i]);
      std::sort(own.begin(), own.end(), [&](std::uint32_t x, std::uint32_t y) {
        return std::pair(a.rater.code(x), x) < std::pair(a.rater.code(y), y);
      });
      for (std::size_t j = 1; j < own.size(); ++j) {
        if (a.rater.code(own[j]) != a.rater.code(own[j - 1])) continue;
        if (duplicates == Duplicates::refuse) refuse_repeated(a, own[j - 1], own[j]);
        ++repeated[i];
        if (duplicates == Duplicates::last) own[j - 1] = kUnmatched;
      }
    }
  });
  std::int64_t total = 0;
  for (const std::int64_t r : repeated) total += r;
  if (total == 0 || duplicates != Duplicates::last) return total;
  std::int64_t gone = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    gone += repeated[i];
    rows.offset[i + 1] -= gone;
  }
  std::erase(rows.row, kUnmatched);
  return total;
}

/// The raters in use, in their natural order, and the new number of each.
std::vector<std::string> used_raters(const Names& raters, std::span<const std::uint32_t> rows,
                                     std::vector<std::uint32_t>& number) {
  number.assign(raters.distinct().size(), 0);
  for (const std::uint32_t row : rows) number[raters.code(row)] = 1;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < number.size(); ++c) {
    if (number[c] == 0) continue;
    number[c] = narrow<std::uint32_t>(names.size());
    names.push_back(raters.distinct()[c]);
  }
  return names;
}

}  // namespace

const char* duplicates_name(Duplicates duplicates) {
  switch (duplicates) {
    case Duplicates::last:
      return "last";
    case Duplicates::keep:
      return "keep";
    case Duplicates::refuse:
      return "refuse";
  }
  return "";
}

JoinedVotes join_annotations(const Annotations& a, const Names& ids, int classes,
                             const std::vector<std::string>& class_names, Duplicates duplicates,
                             int threads) {
  check_same_rows(a.item.source(), a.size(), a.label.name(), a.label.rows());
  if (!a.rater.empty()) check_same_rows(a.item.source(), a.size(), a.rater.source(), a.rater.size());
  if (a.size() == 0) throw InputError(a.label.name() + " holds no judgement");
  if (a.size() >= kUnmatched || ids.size() >= kUnmatched)
    throw InputError(a.label.name() + ": more than 4294967294 judgements or predictions cannot be joined");
  JoinedVotes out;
  JoinCounts& counts = out.counts;
  counts.judgements = a.size();
  const std::vector<std::uint32_t> prediction = match(a.item, ids);
  count_unmatched(a.item, ids, prediction, counts);
  const std::vector<std::int32_t> cls = classes_of(a.label, classes, class_names, threads);
  counts.without_label = std::count(cls.begin(), cls.end(), -1);
  RowsByItem rows = rows_by_item(a.item, prediction, cls, ids.size());
  if (!a.rater.empty()) counts.repeated = settle_repeated(a, duplicates, threads, rows);
  Judgements judgements;
  judgements.offset = std::move(rows.offset);
  std::vector<std::string> raters;
  if (!a.rater.empty()) {
    std::vector<std::uint32_t> number;
    raters = used_raters(a.rater, rows.row, number);
    judgements.rater.reserve(rows.row.size());
    for (const std::uint32_t row : rows.row) judgements.rater.push_back(number[a.rater.code(row)]);
  }
  judgements.cls.reserve(rows.row.size());
  for (const std::uint32_t row : rows.row) judgements.cls.push_back(cls[row]);
  counts.used = std::ssize(judgements.cls);
  if (counts.used == 0)
    throw InputError(a.label.name() +
                     ": no item with a prediction has a label, so there is nothing to compare with");
  out.votes = Votes::from_judgements(std::move(judgements), classes, std::move(raters), a.label.name());
  return out;
}

std::vector<std::string> join_notes(const JoinCounts& c, Duplicates duplicates,
                                    const std::string& annotations, const std::string& ids) {
  std::vector<std::string> notes;
  if (c.items_unpredicted > 0)
    notes.push_back(fmt::format("{} of {} that {} names have no prediction and were left out, for example {}",
                                c.items_unpredicted, counted(c.items, "item"), annotations,
                                quoted_name(c.first_unpredicted)));
  if (c.unannotated > 0)
    notes.push_back(fmt::format("{} of {} {} no annotation, for example {}",
                                counted(c.unannotated, "prediction"), ids,
                                c.unannotated == 1 ? "has" : "have", quoted_name(c.first_unannotated)));
  if (c.without_label > 0)
    notes.push_back(fmt::format("{} of {} {} no label and {} left out", counted(c.without_label, "row"),
                                annotations, c.without_label == 1 ? "has" : "have",
                                c.without_label == 1 ? "was" : "were"));
  if (c.repeated > 0)
    notes.push_back(fmt::format(
        "raters judged an item again in {} of {}: {} (⟦duplicates⟧ {})", counted(c.repeated, "row"),
        annotations, duplicates == Duplicates::last ? "the last judgement counts" : "each judgement counts",
        duplicates_name(duplicates)));
  return notes;
}

}  // namespace plumb
