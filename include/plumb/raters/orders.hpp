// Calibration of order k (arXiv 2412.18808): is the predicted distribution over k votes right? Order 1 is
// calibration; disagreement of two raters is a statistic of order 2.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/metrics/raters/share_builder.hpp"
#include "plumb/raters/raters.hpp"

namespace plumb {

/// The ways to give k votes to K classes, as counts by class.
class Multisets {
 public:
  /// InputError when there are too many to be practical.
  Multisets(int classes, int order);
  [[nodiscard]] std::int64_t size() const { return std::ssize(ways_); }
  [[nodiscard]] int order() const { return order_; }
  /// Counts by class.
  [[nodiscard]] std::vector<std::uint32_t> counts(std::int64_t m) const;

  /// P(m) of k votes from Cat(z), or with alpha_0 > 0 from the Dirichlet-multinomial with alpha_0 z (0:
  /// none). Adds to `out`, times `factor`.
  void add_forecast(std::span<const double> z, double alpha_0, double factor, std::span<double> out) const;
  /// The share of the choices of k of the votes that are m: prod_c C(n_c, m_c) / C(n, k). `counts`: n_c
  /// by class.
  void targets(std::span<const std::uint32_t> counts, std::span<double> out) const;

 private:
  struct Part {
    std::uint32_t cls, count;
  };
  struct Way {
    std::vector<Part> parts;
    double arrangements;  ///< k! / prod m_c!
  };
  int classes_, order_;
  std::vector<Way> ways_;
};

/// A yes-or-no question about k votes: its answer for each multiset.
struct VoteQuestion {
  std::string text;
  int order = 2;
  std::vector<bool> yes;  ///< by multiset of that order
};
/// "3 votes: all agree", "3 votes: not all agree", "5 votes: at least 2 for malignant" (a class by its name
/// or number). InputError says what can be asked.
[[nodiscard]] VoteQuestion parse_question(const std::string& text, int classes,
                                          const std::vector<std::string>& class_names);

struct OrdersOptions {
  std::vector<int> orders = {};              ///< each 1 to 10
  std::vector<std::string> statistics = {};  ///< questions
  int bins = 15;                             ///< of equal width, of each forecast
  int bootstrap = 0;
  double level = 0.95;
  std::uint64_t seed = 0;
  int threads = 0;
  std::stop_token cancel = {};
};

/// Losses of one order, summed over its multisets, or of one question.
struct OrderLosses {
  std::string key;  ///< "order_2", or the question
  int order = 2;
  std::int64_t items = 0;  ///< with k votes or more
  std::int64_t columns = 0;
  Bounded loss;        ///< mean of F^2 - 2 F mu + mu
  Bounded plugin;      ///< sum over bins of (mean F - mean mu)^2; biased upward
  Bounded debiased;    ///< the same without the sampling noise of mu (Mimori eq. 43); may be negative
  ShareTables tables;  ///< of the data
};
/// From the sums of a pass, or of several that were merged; without intervals.
[[nodiscard]] OrderLosses order_losses_of(std::string key, int order, ShareTables tables);
/// Predictions with concentrations and samples as the items have them. One pass for each order and replicate.
[[nodiscard]] std::vector<OrderLosses> evaluate_orders(const Items& items, const OrdersOptions& options);

}  // namespace plumb
