// Measured levels of Plumb's claims. A topic is a file of this folder: it simulates data whose truth is
// known, asks Plumb, and enters one row per claim and setting. `make laws` runs every topic and writes the
// table of docs/inference.md; `plumb-laws --short` is part of the unit tests.
//
//     void nulls(Book& book) {
//       const int sets = book.sets(1000, 60);                          // whole, short
//       const auto rejected = simulate_sets(sets, book.seed(), [](std::uint64_t seed) {
//         return evaluate(calibrated(200, seed), options)["ece"].p_value <= 0.05; });
//       book.rate("a calibrated model is rejected (ece)", "N = 200", {0.025, 0.07}, rejected);
//     }
//     const Topic kNulls{"nulls", nulls};
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plumb/numeric/parallel.hpp"

namespace plumb::laws {

/// The values that a claim allows.
struct Wanted {
  double low, high;
};

struct Row {
  std::string topic, claim, setting;
  Wanted wanted;
  double measured, error;  ///< Monte-Carlo standard error
  int sets;
  /// Within two standard errors of the band.
  [[nodiscard]] bool holds() const {
    return measured >= wanted.low - 2 * error && measured <= wanted.high + 2 * error;
  }
};

class Book {
 public:
  Book(bool whole, std::uint64_t seed, int times = 1) : whole_(whole), times_(times), seed_(seed) {}
  [[nodiscard]] int sets(int whole, int brief) const { return times_ * (whole_ ? whole : brief); }
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  void begin(std::string topic) { topic_ = std::move(topic); }

  /// A share of sets.
  void rate(std::string claim, std::string setting, Wanted wanted, const std::vector<char>& hits);
  /// Something that must not happen in any set; no standard error is allowed.
  void never(std::string claim, std::string setting, const std::vector<char>& hits);
  /// A mean over sets.
  void mean(std::string claim, std::string setting, Wanted wanted, const std::vector<double>& values);
  /// A mean over sets of a share of each.
  void shares(std::string claim, std::string setting, Wanted wanted, const std::vector<double>& values);
  /// A number with a standard error of its own.
  void estimate(std::string claim, std::string setting, Wanted wanted, double measured, double error,
                int sets);
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  bool whole_;
  int times_;
  std::uint64_t seed_;
  std::string topic_;
  std::vector<Row> rows_;
};

/// body(seed) for each simulated set, on all cores; the body itself must use one thread.
template <class Body>
auto simulate_sets(int sets, std::uint64_t seed, Body body) {
  using Value = decltype(body(seed));
  std::vector<std::conditional_t<std::is_same_v<Value, bool>, char, Value>> out(sets);
  parallel_blocks(sets, 1, 0,
                  [&](int, std::int64_t i, std::int64_t) { out[i] = body(seed * 1'000'003 + i); });
  return out;
}

/// Registers a topic by being defined.
struct Topic {
  Topic(std::string name, std::function<void(Book&)> run);
};

}  // namespace plumb::laws
