// Fitting calibrators on logits of an over-confident classifier whose classes are correlated.
#include <cstdio>

#include "bench.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"

namespace plumb::bench {
namespace {

/// Roughly normal: the sum of four 16-bit uniforms.
float bell(std::uint64_t bits) {
  const auto sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  return (static_cast<float>(sum) * 0x1p-16f - 2.0f) * 1.732f;
}

/// float32 logits: noise of its own and of eight factors shared by all classes, and a bonus for the label.
struct LogitData {
  std::vector<float> u;
  std::vector<std::int64_t> label;
  std::int64_t n;
  int classes;

  LogitData(std::int64_t count, int k)
      : u(static_cast<std::size_t>(count * k)), label(static_cast<std::size_t>(count)), n(count), classes(k) {
    constexpr std::uint64_t kFactors = 8;
    const auto width = static_cast<std::uint64_t>(k);
    std::vector<float> load(width * kFactors);
    for (std::uint64_t j = 0; j < load.size(); ++j) load[j] = bell(random_bits(4, Purpose::demo, 0, j));
    parallel_blocks(n, 256, 0, [&](int, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto row = static_cast<std::uint64_t>(i);
        float factor[kFactors];
        for (std::uint64_t f = 0; f < kFactors; ++f)
          factor[f] = bell(random_bits(4, Purpose::demo, 1, row * kFactors + f));
        const std::uint64_t y = random_bits(4, Purpose::demo, 2, row) % width;
        label[row] = static_cast<std::int64_t>(y);
        for (std::uint64_t c = 0; c < width; ++c) {
          float x = 2.0f * bell(random_bits(4, Purpose::demo, 3, row * width + c)) + (c == y ? 7.0f : 0.0f);
          for (std::uint64_t f = 0; f < kFactors; ++f) x += load[c * kFactors + f] * factor[f];
          u[row * width + c] = x;
        }
      }
    });
  }
  [[nodiscard]] Items items() const {
    Items items;
    items.predictions =
        Predictions({Rows(view_of(std::span<const float>(u), {n, classes}, "u"))}, Scale::logit);
    items.votes = Votes::from_labels(Rows(array_of(label, {n}, "y")), classes);
    return items;
  }
};

void fit_case(Bench& b, const char* method, double n, int classes, double target, int runs = 1) {
  const LogitData data(b.size(n), classes);
  const Items items = data.items();
  FitReport report;
  char name[64];
  std::snprintf(name, sizeof name, "%s %lld x %d", method, static_cast<long long>(data.n), classes);
  b.run(
      name, 0, runs, [&] { report = find_calibrator(method)->fit(items, {}).fit; }, target);
  std::printf("    %lld iterations, gradient %.1e, objective %.6f\n",
              static_cast<long long>(report.iterations), report.gradient_norm, report.objective);
}

void isotonic_case(Bench& b) {
  const BinaryData data(b.size(1e6));
  const Items items = data.items();
  b.run(
      "isotonic 1e6", 0, 3, [&] { (void)find_calibrator("isotonic")->fit(items, {}); }, 0.2);
}

void alpha_case(Bench& b) {
  const MulticlassData data(b.size(1e5), 10, true);
  const Items items = data.items();
  std::vector<float> u(static_cast<std::size_t>(data.n) * 128);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = bell(random_bits(5, Purpose::demo, 0, i));
  FitOptions options;
  options.features = Rows(view_of(std::span<const float>(u), {data.n, 128}, "features"));
  b.run(
      "alpha 1e5 x 10, 128 features", 0, 1, [&] { (void)find_calibrator("alpha")->fit(items, options); }, 2);
}

}  // namespace

void calibrate_cases(Bench& b) {
  isotonic_case(b);
  alpha_case(b);
  fit_case(b, "temperature", 5e4, 1000, 0.6, 2);
  fit_case(b, "vector", 5e4, 100, 1);
  fit_case(b, "matrix", 1e4, 100, 4);
  fit_case(b, "dirichlet", 1e4, 10, 0.3);
  fit_case(b, "structured-vector", 5e4, 100, 0);
  fit_case(b, "structured-matrix", 1e4, 100, 0);
  fit_case(b, "ets", 5e4, 100, 0);
}

}  // namespace plumb::bench
