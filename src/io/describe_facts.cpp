#include "io/describe_facts.hpp"

#include <algorithm>
#include <charconv>

#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

constexpr double kMostClasses = 10000;

/// Four digits, whole numbers in full.
std::string about(double x) {
  if (x == std::floor(x)) return show(x);
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, 4);
  return {text, end.ptr};
}

void suggest_list(ArrayInfo& a, const std::string& range) {
  const auto use = [&](const char* option, const std::string& why) { a.uses.push_back({option, why}); };
  if (a.has_nan || a.missing > 0) {
    if (a.integers) use("ratings", "whole numbers, some missing: one rater");
    return;
  }
  if (a.integers) {
    if (a.min >= 0 && a.max < kMostClasses)
      use("labels", "whole numbers " + range + (a.min == 1 ? "; subtract 1 if the first class is 1" : ""));
    if (a.min < 0 || a.max > 1) use("groups", "whole numbers " + range);
    // As many different values as rows: an id can be a number.
    if (a.shape[0] > 1 && a.max - a.min + 1 >= static_cast<double>(a.shape[0]))
      use("ids", "whole numbers " + range);
    return;
  }
  if (a.min >= 0 && a.max <= 1) use("probs", "values between 0 and 1");
  if (a.min < 0) use("logits", "values " + range);
  if (a.min < 0 || a.max > 1) {
    use("mean", "values " + range);
    use("targets", "values " + range);
  }
  if (a.min >= 0) {
    use("std", "no negative value");
    use("variance", "no negative value");
  }
}

void suggest_table(ArrayInfo& a, const std::string& range) {
  const auto use = [&](const char* option, const std::string& why) { a.uses.push_back({option, why}); };
  const bool complete = !a.has_nan && a.missing == 0;
  if (a.integers && a.finite > 0) {
    if (complete && a.min >= 0) use("counts", "whole numbers " + range + ": votes per class");
    if (a.max < kMostClasses)
      use("ratings", complete ? "whole numbers " + range + ": a class for each rater"
                              : "whole numbers, some missing: a class for each rater");
    return;
  }
  if (!complete) return;
  if (a.rows_sum_to_one && a.min >= 0) return use("probs", "rows sum to 1");
  if (a.min >= 0 && a.max <= 1 && a.shape[0] < a.shape[1])
    return use("samples", "values between 0 and 1, few long rows: S x N");
  if (a.min < 0) use("logits", "values " + range);
}

}  // namespace

void conclude(const NumberFacts& f, ArrayInfo& a) {
  a.finite = f.finite;
  a.min = f.finite > 0 ? f.min : 0;
  a.max = f.finite > 0 ? f.max : 0;
  a.integers = f.all_integers && f.finite > 0 && !f.infinite;
  a.has_nan = f.nan;
  a.has_infinite = f.infinite;
  a.rows_sum_to_one = f.sums_to_one && f.finite > 0 && a.shape.size() > 1;
  if (f.finite == 0 || f.infinite) return;
  const std::string range =
      a.integers && a.min == 0 && a.max == 1 ? "0 and 1" : about(a.min) + " to " + about(a.max);
  if (a.shape.size() == 1) return suggest_list(a, range);
  if (a.shape.size() == 2) return suggest_table(a, range);
  if (a.shape.size() != 3 || a.has_nan) return;
  if (a.rows_sum_to_one && a.min >= 0) {
    a.uses.push_back({"samples", "rows sum to 1: S x N x K"});
  } else if (a.min < 0) {
    a.uses.push_back({"sample_logits", "values " + range + ": S x N x K"});
  }
}

void conclude_text(ArrayInfo& a) {
  if (a.shape.size() != 1) return;
  const bool repeats = !a.distinct.empty() && std::ssize(a.distinct) < a.shape[0];
  if (repeats) {
    std::vector<std::string> names = a.distinct;
    std::sort(names.begin(), names.end());
    a.uses.push_back(
        {"labels", "text; with ⟦classes⟧ in the order of your probabilities: " + separated(names, ",")});
    a.uses.push_back({"by", "text"});
  } else {
    a.uses.push_back({"ids", "text"});
  }
  a.uses.push_back({"groups", "text"});
}

}  // namespace plumb::detail
