// One body for every backend: the state of a CUDA device against that of the CPU, byte for byte. Without a
// device the plugin is the kernels' arithmetic compiled for the host (host_plugin.cpp).
#include "plumb/cuda/sums.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "plumb/data/check.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/registry.hpp"

namespace plumb {
namespace {

template <class P, class L>
struct Case {
  std::int64_t columns = 1;
  std::vector<P> p;
  std::vector<L> y;
  [[nodiscard]] std::int64_t rows() const { return std::ssize(y); }
  [[nodiscard]] int classes() const { return columns <= 2 ? 2 : static_cast<int>(columns); }
  [[nodiscard]] std::vector<std::int64_t> shape(std::int64_t n) const {
    return columns == 1 ? std::vector{n} : std::vector{n, columns};
  }
  /// Rows [begin, end) in the memory of the host.
  [[nodiscard]] Items items(std::int64_t begin, std::int64_t end) const {
    const std::int64_t n = end - begin;
    Items out;
    out.predictions =
        Predictions({Rows(view_of(std::span(p).subspan(begin * columns, n * columns), shape(n), "p.npy"))},
                    Scale::probability);
    out.votes = Votes::from_labels(Rows(view_of(std::span(y).subspan(begin, n), {n}, "y.npy")), classes());
    return out;
  }
  [[nodiscard]] Items items() const { return items(0, rows()); }
};

/// Rows [begin, end) of a case in the memory of the device.
template <class P, class L>
struct OnDevice {
  cuda::DeviceCopy p, y;
  cuda::DeviceItems items;
  OnDevice(const Case<P, L>& c, std::int64_t begin, std::int64_t end)
      : p(c.p.data() + begin * c.columns, (end - begin) * c.columns * sizeof(P)),
        y(c.y.data() + begin, (end - begin) * sizeof(L)) {
    const std::int64_t n = end - begin;
    items.probs =
        cuda::device_array(std::span(static_cast<const P*>(p.data()), n * c.columns), c.shape(n), "p.npy");
    items.labels = cuda::device_array(std::span(static_cast<const L*>(y.data()), n), {n}, "y.npy");
  }
  explicit OnDevice(const Case<P, L>& c) : OnDevice(c, 0, c.rows()) {}
};

/// Forecasts with tiny p, 0, 1, 1/2 and limits of bins among them.
template <class P, class L>
Case<P, L> make_case(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  RandomStream rng(seed, Purpose::demo, 3);
  Case<P, L> out;
  out.columns = columns;
  const auto odd = [&](double u) {
    const double kind = rng.uniform();
    return kind < 0.05   ? 0.0
           : kind < 0.1  ? 1.0
           : kind < 0.15 ? 0.5
           : kind < 0.3  ? u * std::ldexp(1.0, -static_cast<int>(rng.uniform() * 140))
           : kind < 0.4  ? 1 - u * std::ldexp(1.0, -static_cast<int>(rng.uniform() * 60))
           : kind < 0.5  ? std::floor(u * 16) / 15
                         : u;
  };
  for (std::int64_t i = 0; i < rows; ++i) {
    if (columns == 1) {
      out.p.push_back(static_cast<P>(std::min(odd(rng.uniform()), 1.0)));
    } else if (columns == 2) {
      const P one = static_cast<P>(std::min(odd(rng.uniform()), 1.0));
      out.p.push_back(1 - one);
      out.p.push_back(one);
    } else {
      std::vector<double> z(columns);
      double sum = 0;
      const double sharp = 1 + 30 * rng.uniform();
      for (double& x : z) sum += x = std::pow(rng.uniform(), sharp);
      const double certain = rng.uniform();
      for (double& x : z) x = sum > 0 ? x / sum : 1.0 / static_cast<double>(columns);
      if (certain < 0.05) {  // one class for sure
        std::fill(z.begin(), z.end(), 0.0);
        z[i % columns] = 1;
      } else if (certain < 0.1) {  // ties
        std::fill(z.begin(), z.end(), 1.0 / static_cast<double>(columns));
      }
      for (const double x : z) out.p.push_back(static_cast<P>(x));
    }
    const int classes = out.classes();
    out.y.push_back(static_cast<L>(std::min<int>(static_cast<int>(rng.uniform() * classes), classes - 1)));
  }
  return out;
}

EvaluateOptions options_of(int bins) {
  EvaluateOptions o;
  o.bins = bins;
  o.threads = 2;
  return o;
}

/// The CPU's state, without what needs order.
EvaluateState cpu_state(const Items& items, const EvaluateOptions& o) {
  EvaluateState s = evaluate_state(items, o);
  s.ladder.reset();
  return s;
}

template <class P, class L>
void expect_same_state(std::int64_t rows, std::int64_t columns, int bins) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", " + std::to_string(bins) +
               " bins");
  const auto c = make_case<P, L>(rows, columns, static_cast<std::uint64_t>(rows + columns * 7 + bins));
  const EvaluateOptions o = options_of(bins);
  const std::string expected = serialize(cpu_state(c.items(), o));
  EXPECT_TRUE(serialize(cuda::evaluate_state(OnDevice(c).items, o)) == expected) << "in device memory";
  EXPECT_TRUE(serialize(cuda::evaluate_state(c.items(), o)) == expected) << "from the host";
}

TEST(CudaSums, BinaryStatesAreTheBytesOfTheCpu) {
  for (const std::int64_t rows : {0, 1, 3, 5, 1000, 40001})
    expect_same_state<float, std::uint8_t>(rows, 1, 15);
  for (const int bins : {1, 2, 10, 100}) expect_same_state<float, std::uint8_t>(20000, 1, bins);
  expect_same_state<float, std::int32_t>(20011, 1, 15);
  expect_same_state<float, std::int64_t>(20011, 1, 15);
  expect_same_state<double, std::uint8_t>(20011, 1, 15);
  expect_same_state<double, std::int32_t>(20011, 1, 15);
  expect_same_state<double, std::int64_t>(20011, 1, 10);
}

TEST(CudaSums, TwoColumnsAreBinary) {
  expect_same_state<float, std::uint8_t>(20011, 2, 15);
  expect_same_state<double, std::int64_t>(20011, 2, 15);
}

TEST(CudaSums, StatesOfSeveralClassesAreTheBytesOfTheCpu) {
  for (const std::int64_t columns : {3, 7, 8, 9, 10, 16, 33}) {
    expect_same_state<float, std::uint8_t>(3001, columns, 15);
    expect_same_state<double, std::int64_t>(3001, columns, 15);
  }
  expect_same_state<float, std::int32_t>(300, 1000, 15);
  expect_same_state<double, std::int32_t>(20000, 10, 10);
}

TEST(CudaSums, NumbersOfOtherTypesAreWidenedOnTheHost) {
  const auto c = make_case<float, std::int32_t>(5000, 1, 11);
  Items items = c.items();
  std::vector<double> y(c.y.begin(), c.y.end());
  items.votes = Votes::from_labels(Rows(view_of(std::span<const double>(y), {5000}, "y.npy")), 2);
  EXPECT_EQ(serialize(cuda::evaluate_state(items, options_of(15))),
            serialize(cpu_state(c.items(), options_of(15))));
}

// Law: batches on the device, and parts of the CPU, add up to one pass.
TEST(CudaSums, BatchesMergeWithTheCpu) {
  const auto c = make_case<float, std::uint8_t>(30000, 1, 21);
  const EvaluateOptions o = options_of(15);
  const StreamSums whole = cpu_state(c.items(), o).votes;
  cuda::DeviceSums sums(2, 15);
  for (const auto& [begin, end] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}, {1, 9999}, {9999, 20003}})
    sums.add(OnDevice(c, begin, end).items);
  StreamSums got = sums.read();
  got.merge(cpu_state(c.items(20003, 30000), o).votes);
  EXPECT_EQ(got, whole);
  EXPECT_EQ(sums.rows(), 20003);

  EvaluateState state = cuda::evaluate_state(OnDevice(c, 0, 20003).items, o);
  merge(state, cpu_state(c.items(20003, 30000), o));
  EXPECT_EQ(serialize(state), serialize(cpu_state(c.items(), o)));
}

TEST(CudaSums, WhatWasNotAskedForIsEmpty) {
  for (const std::int64_t columns : {1, 2, 5}) {
    const auto c = make_case<float, std::uint8_t>(20000, columns, 31);
    const StreamSums whole = cpu_state(c.items(), options_of(15)).votes;
    cuda::DeviceSums sums(c.classes(), 15, {.log_loss = false, .by_class = false});
    const OnDevice there(c);
    sums.add(there.items);
    const StreamSums got = sums.read();
    EXPECT_EQ(got.event, whole.event);
    EXPECT_EQ(got.scores.brier, whole.scores.brier);
    EXPECT_EQ(got.scores.correct, whole.scores.correct);
    EXPECT_EQ(*ece(got.event).value, *ece(whole.event).value);
    EXPECT_TRUE(got.by_class.empty());
    cuda::DeviceSums with_log(c.classes(), 15, {.log_loss = true, .by_class = false});
    with_log.add(there.items);
    EXPECT_EQ(with_log.read().scores, whole.scores);
    EXPECT_EQ(with_log.read().event_log, whole.event_log);
  }
}

template <class Work>
std::string words_of(Work work) {
  try {
    (void)work();
    return "no error";
  } catch (const InputError& e) {
    return e.what();
  }
}

template <class P, class L>
void expect_same_error(const Case<P, L>& c) {
  const std::string expected = words_of([&] { return evaluate_state(c.items(), options_of(15)); });
  ASSERT_NE(expected, "no error");
  EXPECT_EQ(words_of([&] { return cuda::evaluate_state(OnDevice(c).items, options_of(15)); }), expected);
  EXPECT_EQ(words_of([&] { return cuda::evaluate_state(c.items(), options_of(15)); }), expected);
}

TEST(CudaSums, BadForecastsAreReportedAsOnTheCpu) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  RandomStream rng(5, Purpose::demo, 4);
  for (const std::int64_t columns : {1, 2, 4})
    for (const double bad : {kNan, kInf, -kInf, 1.5, -0.25, -1e-12, 1 + 1e-6, 55.0}) {
      auto c = make_case<float, std::uint8_t>(9000, columns, 41);
      for (int n = 0; n < 3; ++n)
        c.p[static_cast<std::size_t>(rng.uniform() * static_cast<double>(c.p.size()))] =
            static_cast<float>(bad);
      SCOPED_TRACE(std::to_string(columns) + " columns, " + std::to_string(bad));
      if (static_cast<float>(bad) == 1) continue;
      expect_same_error(c);
    }
}

TEST(CudaSums, RowsThatDoNotSumToOneAreReported) {
  for (const std::int64_t columns : {2, 5, 12}) {
    auto c = make_case<double, std::int64_t>(6000, columns, 42);
    for (std::int64_t j = 0; j < columns; ++j) c.p[5000 * columns + j] *= 0.9;
    expect_same_error(c);
  }
}

TEST(CudaSums, BadLabelsAreReportedAsOnTheCpu) {
  for (const std::int64_t columns : {1, 2, 4})
    for (const int bad : {-1, 2, 4, 200}) {
      auto c = make_case<float, std::int32_t>(9000, columns, 43);
      if (bad == 2 && columns == 4) continue;
      c.y[8500] = c.y[8999] = bad;
      expect_same_error(c);
      c.p[0] = 7;  // in an earlier block: reported first
      expect_same_error(c);
    }
  auto c = make_case<float, std::int32_t>(9000, 1, 44);
  for (std::int32_t& y : c.y) y += 1;  // numbered from 1
  expect_same_error(c);
  for (std::int32_t& y : c.y) y = y == 2 ? 1 : -1;
  expect_same_error(c);
  auto late = make_case<float, std::int32_t>(9000, 1, 45);
  late.y[3] = 9;
  late.p[8000] = -1;  // in a later block than the label
  expect_same_error(late);
}

TEST(CudaSums, BatchesCountTheirRowsOn) {
  auto c = make_case<float, std::uint8_t>(100, 1, 51);
  c.p[77] = 2;
  cuda::DeviceSums sums(2, 15);
  sums.add(OnDevice(c, 0, 50).items);
  sums.add(OnDevice(c, 50, 100).items);
  EXPECT_NE(words_of([&] { return sums.read(); }).find("p.npy, row 77 is 2;"), std::string::npos);
}

TEST(CudaSums, RefusesWhatItDoesNotCompute) {
  const auto c = make_case<float, std::uint8_t>(100, 1, 61);
  const auto refusal = [&](auto change) {
    EvaluateOptions o = options_of(15);
    Items items = c.items();
    change(o, items);
    return words_of([&] { return cuda::evaluate_state(items, o); });
  };
  const auto expect_part = [](const std::string& said, const char* part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  expect_part(refusal([](auto& o, auto&) { o.bootstrap = 10; }), ".bootstrap is not computed");
  expect_part(refusal([](auto& o, auto&) { o.clip = 1e-9; }), ".clip is not computed");
  expect_part(refusal([](auto& o, auto&) { o.binning = Binning::mass; }), ".binning mass is not computed");
  expect_part(refusal([&](auto&, auto& items) { items.weights = items.predictions.sources()[0]; }),
              "weights");
  expect_part(refusal([&](auto&, auto& items) {
                items.predictions = Predictions({items.predictions.sources()[0]}, Scale::logit);
              }),
              "logits");
  expect_part(words_of([] { return cuda::DeviceSums(2, 15, {}, 77); }), "there is no CUDA device 77");
  const OnDevice there(c);
  cuda::DeviceItems items = there.items;
  items.labels.dtype = DType::f32;
  expect_part(words_of([&] { return cuda::evaluate_state(items, options_of(15)); }),
              "labels on a CUDA device");
  items = there.items;
  items.probs.dtype = DType::f16;
  expect_part(words_of([&] { return cuda::evaluate_state(items, options_of(15)); }), "float32 or float64");
  items = there.items;
  items.labels.shape = {99};
  expect_part(words_of([&] { return cuda::evaluate_state(items, options_of(15)); }), "100 rows but");
}

/// Uniform forecasts, some tiny, some 1, and labels from p^2; in parallel, for there may be many.
Case<float, std::uint8_t> many_forecasts(std::int64_t rows) {
  Case<float, std::uint8_t> out;
  out.p.resize(rows);
  out.y.resize(rows);
  parallel_blocks(rows, 1 << 16, 0, [&](int, std::int64_t begin, std::int64_t end) {
    RandomStream rng(9, Purpose::demo, static_cast<std::uint64_t>(begin));
    for (std::int64_t i = begin; i < end; ++i) {
      const double u = rng.uniform(), kind = rng.uniform();
      const double p = kind < 0.01 ? 1.0 : kind < 0.05 ? u * 1e-9 : kind < 0.06 ? 0.0 : u;
      out.p[i] = static_cast<float>(p);
      out.y[i] = rng.uniform() < p * p ? 1 : 0;
    }
  });
  return out;
}

// PLUMB_GPU_ROWS: how many (on a device 1e9; 300,000 where nothing is said).
TEST(CudaSums, ManyForecastsHaveTheBytesOfTheCpu) {
  const char* asked = std::getenv("PLUMB_GPU_ROWS");
  const std::int64_t rows = asked == nullptr ? 300000 : std::atoll(asked);
  auto c = many_forecasts(rows);
  EvaluateOptions o = options_of(15);
  o.threads = 0;
  const std::string expected = serialize(cpu_state(c.items(), o));
  const OnDevice there(c);
  EXPECT_TRUE(serialize(cuda::evaluate_state(there.items, o)) == expected);
  EXPECT_TRUE(serialize(cuda::evaluate_state(c.items(), o)) == expected);
  RandomStream rng(10, Purpose::demo, 1);
  for (int n = 0; n < 3; ++n) {
    const auto at = static_cast<std::int64_t>(rng.uniform() * static_cast<double>(rows));
    (n % 2 == 0 ? c.p[at] = std::numeric_limits<float>::quiet_NaN() : c.y[at] = 3);
    const std::string row = ", row " + std::to_string(at) + " is " + (n % 2 == 0 ? "nan" : "3");
    const std::string said = words_of([&] { return cuda::evaluate_state(c.items(), o); });
    EXPECT_NE(said.find(row), std::string::npos) << said;
    c.p[at] = 0.5f;
    c.y[at] = 0;
  }
}

// Every metric that is chosen for the device has a value, that of the CPU.
TEST(CudaSums, MetricsAreThoseOfTheCpu) {
  for (const std::int64_t columns : {1, 5}) {
    auto c = make_case<double, std::uint8_t>(5000, columns, 71);
    for (double& p : c.p) p = columns == 1 ? 0.01 + 0.98 * p : 0.9 * p + 0.1 / static_cast<double>(columns);
    EvaluateOptions o = options_of(15);
    cuda::choose_metrics(c.items(), o);
    EXPECT_GT(o.metrics.size(), 10u);
    const Result got = finish(cuda::evaluate_state(OnDevice(c).items, o), o);
    const Result expected = evaluate(c.items(), o);
    ASSERT_EQ(got.metrics.size(), expected.metrics.size());
    for (std::size_t i = 0; i < got.metrics.size(); ++i) {
      EXPECT_EQ(got.metrics[i].first, expected.metrics[i].first);
      const auto& a = got.metrics[i].second.value;
      const auto& b = expected.metrics[i].second.value;
      ASSERT_TRUE(a.has_value()) << got.metrics[i].first << ": " << got.metrics[i].second.why;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(*a), std::bit_cast<std::uint64_t>(b.value_or(-1)))
          << got.metrics[i].first;
    }
    o.metrics = {"ece", "ks"};
    EXPECT_NE(words_of([&] {
                cuda::choose_metrics(c.items(), o);
                return 0;
              }).find("ks"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace plumb
