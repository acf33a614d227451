#include <algorithm>
#include <charconv>
#include <cmath>

#include "plumb/data/check.hpp"
#include "plumb/raters/orders.hpp"

namespace plumb {
namespace {

constexpr double kMostWays = 10000;
constexpr int kHighestOrder = 10;

double binomial(double n, std::uint32_t k) {
  double out = 1;
  for (std::uint32_t j = 0; j < k; ++j) out = out * (n - j) / (j + 1);
  return out;
}

/// A whole number at the beginning of the text, which it is taken from; negative: none.
int take_number(std::string_view& text) {
  int out = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{}) return -1;
  text.remove_prefix(end - text.data());
  return out;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

int class_of(const std::string& name, int classes, const std::vector<std::string>& names) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<int>(at - names.begin());
  std::string_view rest = name;
  const int number = take_number(rest);
  if (names.empty() && rest.empty() && number >= 0 && number < classes) return number;
  throw InputError("⟦statistic⟧: no class is called \"" + name + "\"" + did_you_mean(name, names));
}

}  // namespace

Multisets::Multisets(int classes, int order) : classes_(classes), order_(order) {
  if (order < 1 || order > kHighestOrder)
    throw InputError("⟦orders⟧ must be from 1 to " + std::to_string(kHighestOrder) + ", not " +
                     std::to_string(order));
  const double ways = binomial(classes + order - 1.0, order);
  if (ways > kMostWays)
    throw InputError("⟦orders⟧: " + counted(order, "vote") + " can fall on " + counted(classes, "class") +
                     " in " + show(ways) + " ways, more than " + show(kMostWays) +
                     "; lower the order or merge classes");
  Way way{{}, 1};
  // Classes in order; the number of votes for each from most to least.
  const auto visit = [&](auto&& self, std::uint32_t cls, std::uint32_t votes, double arrangements) -> void {
    if (votes == 0) {
      way.arrangements = arrangements;
      ways_.push_back(way);
      return;
    }
    if (cls == static_cast<std::uint32_t>(classes)) return;
    for (std::uint32_t s = votes; s > 0; --s) {
      way.parts.push_back({cls, s});
      self(self, cls + 1, votes - s, arrangements * binomial(votes, s));
      way.parts.pop_back();
    }
    self(self, cls + 1, votes, arrangements);
  };
  visit(visit, 0, order, 1);
}

std::vector<std::uint32_t> Multisets::counts(std::int64_t m) const {
  std::vector<std::uint32_t> out(classes_);
  for (const Part& p : ways_[m].parts) out[p.cls] = p.count;
  return out;
}

void Multisets::add_forecast(std::span<const double> z, double alpha_0, double factor,
                             std::span<double> out) const {
  const std::int64_t stride = order_ + 1;
  std::vector<double> rising(classes_ * stride,
                             1.0);  // z (z + 1/alpha_0) ... of each class; z^s without alpha_0
  const double more = alpha_0 > 0 ? 1 / alpha_0 : 0;
  double whole = factor;
  for (int s = 0; s < order_; ++s) whole /= 1 + s * more;
  for (std::int64_t c = 0; c < classes_; ++c)
    for (int s = 0; s < order_; ++s) rising[c * stride + s + 1] = rising[c * stride + s] * (z[c] + s * more);
  for (std::size_t m = 0; m < ways_.size(); ++m) {
    double p = whole * ways_[m].arrangements;
    for (const Part& part : ways_[m].parts) p *= rising[part.cls * stride + part.count];
    out[m] += p;
  }
}

void Multisets::targets(std::span<const std::uint32_t> counts, std::span<double> out) const {
  double n = 0;
  for (const std::uint32_t c : counts) n += c;
  const double choices = binomial(n, static_cast<std::uint32_t>(order_));
  for (std::size_t m = 0; m < ways_.size(); ++m) {
    double ways = 1;
    for (const Part& part : ways_[m].parts)
      ways *= counts[part.cls] < part.count ? 0 : binomial(counts[part.cls], part.count);
    out[m] = ways / choices;
  }
}

VoteQuestion parse_question(const std::string& text, int classes,
                            const std::vector<std::string>& class_names) {
  const InputError unknown(
      "⟦statistic⟧: \"" + text +
      "\" is not a question about votes; ask \"3 votes: all agree\", \"3 votes: not all agree\" or \"5 votes: at least 2 for CLASS\"");
  std::string_view rest = text;
  VoteQuestion out;
  out.text = text;
  out.order = take_number(rest);
  if (out.order < 1 || !(take_word(rest, " votes: ") || take_word(rest, " vote: "))) throw unknown;
  const Multisets ways(classes, out.order);
  std::function<bool(const std::vector<std::uint32_t>&)> answer;
  const auto agree = [&](const std::vector<std::uint32_t>& counts) {
    return *std::max_element(counts.begin(), counts.end()) == static_cast<std::uint32_t>(out.order);
  };
  if (rest == "all agree") {
    answer = agree;
  } else if (rest == "not all agree") {
    answer = [&](const auto& counts) { return !agree(counts); };
  } else if (take_word(rest, "at least ")) {
    const int least = take_number(rest);
    if (least < 0 || !take_word(rest, " for ")) throw unknown;
    if (least > out.order) throw InputError("⟦statistic⟧: \"" + text + "\" asks for more votes than it has");
    const int cls = class_of(std::string(rest), classes, class_names);
    answer = [=](const auto& counts) { return counts[cls] >= static_cast<std::uint32_t>(least); };
  } else {
    throw unknown;
  }
  for (std::int64_t m = 0; m < ways.size(); ++m) out.yes.push_back(answer(ways.counts(m)));
  return out;
}

}  // namespace plumb
