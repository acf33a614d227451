#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "data/shared/complaints.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

/// Calls visit(row, values) for each row of [begin, end).
template <class Visit>
void each_row(const Rows& rows, std::int64_t begin, std::int64_t end, Visit visit) {
  std::vector<double> x(rows.width());
  for (std::int64_t row = begin; row < end; ++row) {
    rows.read(row, row + 1, x);
    visit(row, x);
  }
}

bool is_rated(double x) { return x >= 0; }
bool is_class(double x, int classes) { return x >= 0 && x < classes && x == std::floor(x); }

/// Whether every class is in 1..K: then class K is not a stray value; the classes are counted from 1.
bool counts_from_one(const Rows& rows, int classes, bool ratings) {
  bool so = true;
  each_row(rows, 0, rows.rows(), [&](std::int64_t, const std::vector<double>& x) {
    for (const double k : x) so = so && ((ratings && !is_rated(k)) || is_class(k - 1, classes));
  });
  return so;
}

bool minus_and_plus(const Rows& rows) {
  bool so = true;
  each_row(rows, 0, rows.rows(), [&](std::int64_t, const std::vector<double>& x) {
    for (const double k : x) so = so && std::fabs(k) == 1;
  });
  return so;
}

[[noreturn]] void refuse_class(const Rows& rows, std::int64_t row, std::int64_t column, double x, int classes,
                               bool ratings) {
  std::string remedy;
  if (!ratings && classes == 2 && minus_and_plus(rows)) {
    remedy = "; for labels of -1 and 1 give ⟦classes⟧ -1,1";
  } else if (std::isnan(x) || x < 0) {
    remedy =
        "; for items that were not rated use ⟦ratings⟧, where a negative number or NaN means \"not rated\"";
  } else if (x == classes && counts_from_one(rows, classes, ratings)) {
    remedy = "; the classes seem to be numbered from 1: subtract 1";
  } else if (x >= classes) {
    remedy = "; the predictions determine the number of classes";
  }
  throw InputError(fmt::format("{} is {}; {} must be whole numbers from 0 to {}{}",
                               cell_of(rows, row, column), show(x), ratings ? "ratings" : "labels",
                               classes - 1, remedy));
}

void find_bad_class(const Rows& rows, std::int64_t begin, std::int64_t end, int classes, bool ratings) {
  each_row(rows, begin, end, [&](std::int64_t row, const std::vector<double>& x) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (is_class(x[j], classes) || (ratings && !is_rated(x[j]))) continue;
      refuse_class(rows, row, j, x[j], classes, ratings);
    }
  });
}

}  // namespace

void refuse_labels(const Rows& rows, std::int64_t begin, std::int64_t end, int classes) {
  find_bad_class(rows, begin, end, classes, false);
  throw std::logic_error("a block of labels failed its check but no row of it does");
}

void refuse_ratings(const Rows& rows, std::int64_t begin, std::int64_t end, int classes) {
  find_bad_class(rows, begin, end, classes, true);
  throw std::logic_error("a block of ratings failed its check but no row of it does");
}

void refuse_counts(const Rows& rows, std::int64_t begin, std::int64_t end) {
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  each_row(rows, begin, end, [&](std::int64_t row, const std::vector<double>& x) {
    double total = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (!(x[j] >= 0 && x[j] == std::floor(x[j]) && x[j] <= kMost)) {
        const bool share = x[j] > 0 && x[j] < 1;
        throw InputError(fmt::format("{} is {}; a count must be a whole number from 0 to {:.0f}{}",
                                     cell_of(rows, row, j), show(x[j]), kMost,
                                     share ? "; multiply shares of votes by the number of votes" : ""));
      }
      total += x[j];
    }
    if (total > kMost) {
      throw InputError(
          fmt::format("{} has {:.0f} votes; an item may have {:.0f} at most", rows.where(row), total, kMost));
    }
  });
  throw std::logic_error("a block of counts failed its check but no row of it does");
}

}  // namespace plumb::detail
