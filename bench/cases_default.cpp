// The default run: the default keys with their bandwidth searches. CPU seconds are given beside the wall
// clock, for busy machines.
#include <ctime>

#include "bench.hpp"
#include "plumb/evaluate/evaluate.hpp"

namespace plumb::bench {
namespace {

void timed(Bench& b, const std::string& name, const Items& items, const EvaluateOptions& o, double cpu) {
  const std::clock_t begin = std::clock();
  b.run(name, 0, 1, [&] { (void)evaluate(items, o); });
  const double used = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%-46s %9.4f CPU s  (asked: %.3g)%s\n", "", used, cpu, used <= cpu ? "" : "  MISSED");
}

/// Row i belongs to name i % names.
Names names_of(std::vector<double>& code, std::int64_t rows, std::int64_t names) {
  code.resize(rows);
  for (std::int64_t i = 0; i < rows; ++i) code[i] = static_cast<double>(i % names);
  return Names(Rows(view_of(std::span<const double>(code), {rows}, "names")));
}

}  // namespace

void default_cases(Bench& b) {
  const BinaryData ten_million(b.size(1e7));
  timed(b, "default keys, 1e7 binary", ten_million.items(), {}, 3);
  const MulticlassData small(540, 10, false);
  timed(b, "default keys, 540 x 10", small.items(), {}, 0.15);
  std::vector<double> code;
  const BinaryData pixels(b.size(553'000));
  Items grouped = pixels.items();
  grouped.groups = names_of(code, grouped.size(), 10);
  timed(b, "default keys, 553,000 in 10 groups, 200 draws", grouped, {.bootstrap = 200}, 20);
  const BinaryData million(b.size(1e6));
  for (const std::int64_t slices : {1'000, 100'000, 400'000}) {
    Items sliced = million.items();
    sliced.by = {names_of(code, sliced.size(), std::min(slices, sliced.size()))};
    EvaluateOptions o;
    if (slices > 1000) o.metrics = {"ece"};
    timed(b, (slices > 1000 ? "ece" : "default keys") + (", 1e6 in " + std::to_string(slices)) + " slices",
          sliced, o, slices > 1000 ? 20 : 8);
  }
}

}  // namespace plumb::bench
