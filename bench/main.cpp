// plumb_bench [SCALE] [PART...]: prints one row a case. Parts: default, table, kernel, raters, resample,
// regression, calibrate, uncertainty.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/numeric/simd.hpp"

namespace plumb::bench {

void Bench::run(const std::string& name, double bytes, int runs, const std::function<void()>& body,
                double target, const std::string& note) {
  Case c{name, bytes, 1e300, target, note};
  for (int i = 0; i < runs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    c.seconds =
        std::min(c.seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("%-46s %9.4f s", name.c_str(), c.seconds);
  if (bytes > 0) std::printf("  %5.1f%% of one core's read bandwidth", 100 * bytes / c.seconds / bandwidth());
  if (target > 0) std::printf("  (asked: %.3g s)%s", target, c.seconds <= target ? "" : "  MISSED");
  if (!note.empty()) std::printf("  %s", note.c_str());
  std::printf("\n");
  std::fflush(stdout);
  cases_.push_back(c);
}

double Bench::bandwidth() {
  if (bandwidth_ > 0) return bandwidth_;
  const std::vector<std::uint64_t> data(64 << 20 >> 3 << 3, 1);  // 512 MB
  double best = 1e300;
  std::uint64_t sink = 0;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t s[8] = {};
    for (std::size_t j = 0; j + 8 <= data.size(); j += 8)
      for (std::size_t k = 0; k < 8; ++k) s[k] += data[j + k];
    for (const auto x : s) sink += x;
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  bandwidth_ = static_cast<double>(data.size() * 8) / best;
  if (sink == 0) std::abort();
  std::printf("%-46s %9.2f GB/s\n", "one core reads", bandwidth_ / 1e9);
  return bandwidth_;
}

BinaryData::BinaryData(std::int64_t n) : p(static_cast<std::size_t>(n)), y(static_cast<std::size_t>(n)) {
  parallel_blocks(n, 1 << 16, 0, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint64_t r = random_bits(1, Purpose::demo, 0, static_cast<std::uint64_t>(i));
      const auto at = static_cast<std::size_t>(i);
      p[at] = static_cast<float>(r >> 40) * 0x1p-24f;
      y[at] = static_cast<float>((r >> 8) & 0xffffff) * 0x1p-24f < p[at] * p[at];
    }
  });
}

Items BinaryData::items() const {
  Items items;
  const auto n = static_cast<std::int64_t>(p.size());
  items.predictions = Predictions({Rows(view_of(std::span<const float>(p), {n}, "p"))}, Scale::probability);
  items.votes = Votes::from_labels(Rows(view_of(std::span<const std::uint8_t>(y), {n}, "y")), 2);
  return items;
}

MulticlassData::MulticlassData(std::int64_t count, int k, bool with_counts) : n(count), classes(k) {
  const auto width = static_cast<std::size_t>(k);
  z.resize(static_cast<std::size_t>(n) * width);
  if (with_counts) counts.resize(z.size());
  (k <= 256 ? label.resize(static_cast<std::size_t>(n)) : wide_label.resize(static_cast<std::size_t>(n)));
  parallel_blocks(n, 1024, 0, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      float* row = z.data() + static_cast<std::size_t>(i) * width;
      float sum = 0;
      for (std::size_t c = 0; c < width; ++c) {
        const std::uint64_t r = random_bits(2, Purpose::demo, 0, static_cast<std::uint64_t>(i) * width + c);
        const float u = static_cast<float>((r >> 40) + 1) * 0x1p-24f;
        sum += row[c] = u * u * u * u * u * u;
      }
      for (std::size_t c = 0; c < width; ++c) row[c] /= sum;
      for (int v = 0; v < (with_counts ? 5 : 1); ++v) {
        float u = static_cast<float>(
            random_uniform(3, Purpose::demo, static_cast<std::uint32_t>(v), static_cast<std::uint64_t>(i)));
        std::size_t c = 0;
        while (c + 1 < width && u >= row[c]) u -= row[c++];
        if (with_counts) {
          ++counts[static_cast<std::size_t>(i) * width + c];
        } else if (k <= 256) {
          label[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(c);
        } else {
          wide_label[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(c);
        }
      }
    }
  });
}

Items MulticlassData::items() const {
  Items items;
  items.predictions =
      Predictions({Rows(view_of(std::span<const float>(z), {n, classes}, "z"))}, Scale::probability);
  if (!counts.empty()) {
    items.votes = Votes::from_counts(
        Rows(view_of(std::span<const std::uint8_t>(counts), {n, classes}, "counts")), classes);
  } else if (classes <= 256) {
    items.votes =
        Votes::from_labels(Rows(view_of(std::span<const std::uint8_t>(label), {n}, "label")), classes);
  } else {
    items.votes = Votes::from_labels(Rows(array_of(wide_label, {n}, "label")), classes);
  }
  return items;
}

}  // namespace plumb::bench

int main(int argc, char** argv) {
  using namespace plumb;
  if (argc == 3 && std::strcmp(argv[1], "--costs") == 0) return bench::write_costs(argv[2]);
  const double scale = argc > 1 ? std::atof(argv[1]) : 1.0;
  bench::Bench b(scale > 0 ? scale : 1.0);
  const auto wanted = [&](const char* part) {
    if (argc <= 2) return true;
    for (int i = 2; i < argc; ++i)
      if (std::strcmp(argv[i], part) == 0) return true;
    return false;
  };
  std::printf("%d threads, %s\n", resolve_threads(0), simd_target().c_str());
  (void)b.bandwidth();
  if (wanted("default")) bench::default_cases(b);
  if (wanted("table")) bench::table_cases(b);
  if (wanted("kernel")) bench::kernel_cases(b);
  if (wanted("raters")) bench::rater_cases(b);
  if (wanted("resample")) bench::resample_cases(b);
  if (wanted("regression")) bench::regression_cases(b);
  if (wanted("uncertainty")) bench::uncertainty_cases(b);
  if (wanted("calibrate")) bench::calibrate_cases(b);
  return 0;
}
