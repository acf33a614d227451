// A small benchmark harness: best of a few runs, ratios to the machine's read bandwidth in the same run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plumb/data/items.hpp"
#include "plumb/regression/column.hpp"

namespace plumb::bench {

struct Case {
  std::string name;
  double bytes = 0;    ///< read by the case, for the share of bandwidth; 0: no such share
  double seconds = 0;  ///< best of the runs
  double target = 0;   ///< target in seconds; 0: none
  std::string note;
};

class Bench {
 public:
  explicit Bench(double scale) : scale_(scale) {}
  /// Best of `runs` calls.
  void run(const std::string& name, double bytes, int runs, const std::function<void()>& body,
           double target = 0, const std::string& note = "");
  /// One core's read bandwidth in bytes per second, measured once.
  [[nodiscard]] double bandwidth();
  /// Sizes are multiplied by this (smaller for a quick look).
  [[nodiscard]] std::int64_t size(double n) const { return static_cast<std::int64_t>(n * scale_); }
  [[nodiscard]] const std::vector<Case>& cases() const { return cases_; }

 private:
  double scale_;
  double bandwidth_ = 0;
  std::vector<Case> cases_;
};

/// Simulated binary items: float32 p, uint8 labels.
struct BinaryData {
  std::vector<float> p;
  std::vector<std::uint8_t> y;
  explicit BinaryData(std::int64_t n);
  [[nodiscard]] Items items() const;
};
/// Simulated softmax rows (float32) with labels, or counts of five votes.
struct MulticlassData {
  std::vector<float> z;
  std::vector<std::uint8_t> label;       // classes <= 256
  std::vector<std::int64_t> wide_label;  // otherwise
  std::vector<std::uint8_t> counts;
  std::int64_t n;
  int classes;
  MulticlassData(std::int64_t n, int classes, bool with_counts);
  [[nodiscard]] Items items() const;
};

/// Simulated means, variances and targets in float32; several passes have means and variances of their own.
struct RegressionData {
  std::vector<std::vector<float>> mean, variance;
  std::vector<float> target;
  RegressionData(std::int64_t n, int passes);
  [[nodiscard]] RegressionItems items() const;
};

void default_cases(Bench& b);
void table_cases(Bench& b);
void kernel_cases(Bench& b);
void rater_cases(Bench& b);
void resample_cases(Bench& b);
void regression_cases(Bench& b);
void uncertainty_cases(Bench& b);
void calibrate_cases(Bench& b);

/// The table of `plumb list --cost`; the exit code.
int write_costs(const char* path);

}  // namespace plumb::bench
