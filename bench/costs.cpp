// plumb_bench --costs FILE: what each metric costs when it is asked for alone, one thread, as the table that
// `plumb list --cost` prints.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>

#include "bench.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/registry.hpp"
#include "plumb/regression/evaluate.hpp"

namespace plumb::bench {
namespace {

/// Of this process, so that others on the machine do not count.
double cpu_seconds() {
  timespec now{};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Run>
double best_seconds(const Run& run) {
  double best = 1e300;
  for (int i = 0; i < 2; ++i) {
    const double begin = cpu_seconds();
    run();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

double seconds_of(const Items& items, const MetricRow& row) {
  return best_seconds(
      [&] { (void)evaluate(items, {.metrics = {std::string(row.key)}, .threads = 1, .consensus = false}); });
}
double seconds_of(const RegressionItems& items, const MetricRow& row) {
  RegressionOptions o;
  o.metrics = {std::string(row.key)};
  o.threads = 1;
  return best_seconds([&] { (void)evaluate_regression(items, o); });
}

void write_row(std::FILE* file, const MetricRow& row, double seconds, std::int64_t rows) {
  std::fprintf(file, "{\"%s\", %.0f, %s},\n", std::string(row.key).c_str(),
               std::ceil(1e9 * seconds / static_cast<double>(rows)),
               row.task == Task::regression ? "true" : "false");
}

}  // namespace

int write_costs(const char* path) {
  const BinaryData binary(1'000'000);
  const MulticlassData votes(100'000, 10, true), few(4'000, 10, false);
  const Items single = binary.items();
  Items known = single;
  known.truth = single.predictions.sources().front();
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return std::perror(path), 1;
  std::fprintf(
      file,
      "// Written by plumb_bench --costs: nanoseconds a row of each metric asked for alone, on one "
      "core.\n// Binary, 1e6 labels; ten classes and five votes, 1e5 rows, where it needs them; "
      "quadratic keys: 4,000 rows of\n// ten classes, which is what their time grows with. Regression "
      "(true): 1e6 rows of two passes.\n");
  for (const MetricRow& row : metrics()) {
    const bool many = row.task == Task::multiclass || row.needs == Needs::pairs;
    const Items items = row.cost == Cost::quadratic ? few.items()
                        : many                      ? votes.items()
                        : row.needs == Needs::truth ? known
                                                    : single;
    write_row(file, row, seconds_of(items, row), items.size());
  }
  const RegressionData regression(1'000'000, 2);
  const RegressionItems items = regression.items();
  for (const MetricRow& row : kRegressionMetrics) write_row(file, row, seconds_of(items, row), items.size());
  return std::fclose(file) == 0 ? 0 : 1;
}

}  // namespace plumb::bench
