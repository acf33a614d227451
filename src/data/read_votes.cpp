// Labels, counts and ratings of a block as sparse histograms (Votes::read of votes.hpp).
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "data/shared/block_kernels.hpp"
#include "data/shared/complaints.hpp"
#include "plumb/data/votes.hpp"

namespace plumb {
namespace {

/// Fills a block row by row. Entries are written before they are known to count, so there is one to spare.
class Entries {
 public:
  Entries(VoteBlock& block, std::int64_t rows, std::int64_t most) : block_(block) {
    block.offset.resize(rows + 1);
    block.total.resize(rows);
    block.cls.resize(most + 1);
    block.count.resize(most + 1);
    block.offset[0] = 0;
  }
  /// Kept when n > 0, otherwise overwritten by the next.
  void add(std::uint32_t cls, std::uint32_t n) {
    block_.cls[at_] = cls;
    block_.count[at_] = n;
    at_ += n > 0;
  }
  void close(std::uint32_t votes) {
    block_.total[row_] = votes;
    block_.offset[++row_] = at_;
  }
  void finish() {
    block_.cls.resize(at_);
    block_.count.resize(at_);
    block_.single =
        std::all_of(block_.total.begin(), block_.total.end(), [](std::uint32_t n) { return n == 1; });
    if (!block_.single) return;
    block_.offset.clear();
    block_.count.clear();
    block_.total.clear();
  }

 private:
  VoteBlock& block_;
  std::size_t at_ = 0, row_ = 0;
};

std::span<double> widened(const Rows& rows, std::int64_t begin, std::int64_t end,
                          std::vector<double>& scratch) {
  scratch.resize((end - begin) * rows.width());
  rows.read(begin, end, scratch);
  return scratch;
}

bool read_labels(const Rows& rows, std::int64_t begin, std::int64_t end, std::uint32_t classes,
                 VoteBlock& out) {
  const std::int64_t n = end - begin;
  out.cls.resize(n);
  out.offset.clear();
  out.count.clear();
  out.total.clear();
  out.single = true;
  if (const auto* u8 = rows.contiguous<std::uint8_t>(begin, end))
    return detail::copy_labels(u8, n, classes, out.cls.data());
  if (const auto* i64 = rows.contiguous<std::int64_t>(begin, end))
    return detail::copy_labels(i64, n, classes, out.cls.data());
  if (const auto* i32 = rows.contiguous<std::int32_t>(begin, end))
    return detail::copy_labels(i32, n, classes, out.cls.data());
  return detail::copy_labels(widened(rows, begin, end, out.scratch).data(), n, classes, out.cls.data());
}

bool read_counts(const Rows& rows, std::int64_t begin, std::int64_t end, VoteBlock& out) {
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  const std::span<const double> x = widened(rows, begin, end, out.scratch);
  const std::int64_t width = rows.width();
  Entries entries(out, end - begin, std::ssize(x));
  bool good = true;
  for (std::int64_t i = 0; i < std::ssize(x); i += width) {
    std::uint64_t votes = 0;
    for (std::int64_t k = 0; k < width; ++k) {
      const bool inside = x[i + k] >= 0 && x[i + k] <= kMost;
      const std::uint32_t n = inside ? x[i + k] : 0.0;
      good &= inside & (n == x[i + k]);
      votes += n;
      entries.add(k, n);
    }
    good &= votes <= std::numeric_limits<std::uint32_t>::max();
    entries.close(votes);
  }
  entries.finish();
  return good;
}

/// Two classes are counted without a table; ratings are -1, 0 and 1.
std::uint32_t add_two(std::span<const std::int32_t> row, Entries& entries) {
  std::uint32_t zeros = 0, ones = 0;
  for (const std::int32_t k : row) {
    zeros += k == 0;
    ones += k == 1;
  }
  entries.add(0, zeros);
  entries.add(1, ones);
  return zeros + ones;
}

/// Few classes: a histogram of the row, read off class by class.
std::uint32_t add_histogram(std::span<const std::int32_t> row, std::span<std::uint32_t> histogram,
                            Entries& entries) {
  std::fill(histogram.begin(), histogram.end(), 0);
  for (const std::int32_t k : row) ++histogram[k + 1];  // 0 is for "not rated"
  for (std::size_t k = 1; k < histogram.size(); ++k) entries.add(k - 1, histogram[k]);
  return row.size() - histogram[0];
}

/// Many classes: sort the row and count runs.
std::uint32_t add_runs(std::span<std::int32_t> row, Entries& entries) {
  std::sort(row.begin(), row.end());
  const auto first = std::find_if(row.begin(), row.end(), [](std::int32_t k) { return k >= 0; });
  for (auto it = first; it != row.end();) {
    const auto next = std::find_if(it, row.end(), [&](std::int32_t k) { return k != *it; });
    entries.add(*it, next - it);
    it = next;
  }
  return row.end() - first;
}

constexpr int kFewClasses = 32;

bool read_rated(const Rows& rows, std::int64_t begin, std::int64_t end, int classes, VoteBlock& out) {
  const std::span<const double> x = widened(rows, begin, end, out.scratch);
  std::vector<std::int32_t> rating(x.size());
  // Nothing of a bad block is counted: its ratings are not indices.
  if (!detail::copy_ratings(x.data(), std::ssize(x), classes, rating.data())) return false;
  const std::int64_t width = rows.width();
  if (width == 1 && std::none_of(rating.begin(), rating.end(), [](std::int32_t k) { return k < 0; })) {
    out.cls.assign(rating.begin(), rating.end());  // one rater, who rated all
    out.offset.clear();
    out.count.clear();
    out.total.clear();
    out.single = true;
    return true;
  }
  const bool few = classes <= kFewClasses;
  Entries entries(out, end - begin, few ? (end - begin) * classes : std::ssize(x));
  std::uint32_t histogram[kFewClasses + 1];
  for (std::int64_t i = 0; i < std::ssize(x); i += width) {
    const auto row = std::span(rating).subspan(i, width);
    entries.close(classes == 2 ? add_two(row, entries)
                  : few        ? add_histogram(row, std::span(histogram, classes + 1), entries)
                               : add_runs(row, entries));
  }
  entries.finish();
  return true;
}

/// Judgements were checked when they were made.
void read_judged(const Judgements& all, std::int64_t begin, std::int64_t end, int classes, VoteBlock& out) {
  const std::int64_t first = all.offset[begin], judged = all.offset[end] - first;
  std::vector<std::int32_t> cls(all.cls.begin() + first, all.cls.begin() + first + judged);
  const bool few = classes <= kFewClasses;
  Entries entries(out, end - begin, few ? (end - begin) * classes : judged);
  std::uint32_t histogram[kFewClasses + 1];
  for (std::int64_t i = begin; i < end; ++i) {
    const auto row = std::span(cls).subspan(all.offset[i] - first, all.offset[i + 1] - all.offset[i]);
    entries.close(few ? add_histogram(row, std::span(histogram, classes + 1), entries)
                      : add_runs(row, entries));
  }
  entries.finish();
}

}  // namespace

void Votes::read(std::int64_t begin, std::int64_t end, VoteBlock& out) const {
  out.size = end - begin;
  switch (kind_) {
    case Kind::labels:
      if (!read_labels(rows_, begin, end, classes_, out)) detail::refuse_labels(rows_, begin, end, classes_);
      return;
    case Kind::counts:
      if (!read_counts(rows_, begin, end, out)) detail::refuse_counts(rows_, begin, end);
      return;
    case Kind::ratings:
      if (!read_rated(rows_, begin, end, classes_, out)) detail::refuse_ratings(rows_, begin, end, classes_);
      return;
    case Kind::judgements:
      return read_judged(*judgements_, begin, end, classes_, out);
  }
}

void Votes::read_ratings(std::int64_t begin, std::int64_t end, std::vector<std::int32_t>& out) const {
  if (kind_ != Kind::ratings) throw std::logic_error("Votes::read_ratings: these votes are not ratings");
  std::vector<double> scratch;
  const std::span<const double> x = widened(rows_, begin, end, scratch);
  out.resize(x.size());
  const bool good = detail::copy_ratings(x.data(), std::ssize(x), classes_, out.data());
  if (!good) detail::refuse_ratings(rows_, begin, end, classes_);
}

}  // namespace plumb
