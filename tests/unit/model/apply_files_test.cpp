#include "plumb/model/apply_files.hpp"

#include <gtest/gtest.h>

#include "plumb/calibrate/fit_model.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/io/npy.hpp"
#include "unit/calibrate/some_items.hpp"
#include "unit/io/files.hpp"
#include "unit/regression/make_regression.hpp"

namespace plumb {
namespace {

std::vector<double> numbers(const std::string& path) {
  const Array array = read_npy(path);
  std::int64_t width = 1;
  for (std::size_t d = 1; d < array.shape.size(); ++d) width *= array.shape[d];
  const Rows rows(array);
  std::vector<double> out(rows.rows() * rows.width());
  rows.read(0, rows.rows(), out);
  EXPECT_EQ(rows.width(), width);
  return out;
}

TEST(ApplyFiles, HoldWhatTheSinkWasGiven) {
  const TempDir dir;
  const Items items = some::simulate(300, 3, 4, 5).items();
  const CalibrationModel model = fit_model("alpha", items).model;
  apply_to_files(model, items.predictions, {}, {dir / "p.npy", dir / "a.npy", dir / "d.npy"});
  std::vector<double> z, alpha, disagreement;
  apply_model(model, items.predictions, {.disagreement = true}, [&](const CalibratedChunk& c) {
    z.insert(z.end(), c.probabilities.begin(), c.probabilities.end());
    alpha.insert(alpha.end(), c.concentration.begin(), c.concentration.end());
    disagreement.insert(disagreement.end(), c.disagreement.begin(), c.disagreement.end());
  });
  EXPECT_EQ(numbers(dir / "p.npy"), z);
  EXPECT_EQ(numbers(dir / "a.npy"), alpha);
  EXPECT_EQ(numbers(dir / "d.npy"), disagreement);
}

TEST(ApplyFiles, AppearWholeOrNotAtAll) {
  const TempDir dir;
  const Items three = some::simulate(60, 3, 4, 5).items(), two = some::simulate(60, 2, 4, 5).items();
  const CalibrationModel model = fit_model("temperature", three).model;
  EXPECT_THROW(apply_to_files(model, two.predictions, {}, {dir / "p.npy", "", dir / "d.npy"}), InputError);
  EXPECT_TRUE(dir.entries().empty());
  apply_to_files(model, three.predictions, {}, {dir / "p.npy", "", ""});
  EXPECT_EQ(dir.entries(), std::vector<std::string>{"p.npy"});
}

// Row by row: mean plus and minus the quantile of the calibrated normal.
TEST(ApplyFiles, VariancesAndBoundsLieItemByItem) {
  const TempDir dir;
  const auto s = test::simulate({.n = 70, .outputs = 2});
  const CalibrationModel model = fit_regression_model("sigma", s.items(), {.per_output = true});
  apply_to_files(model, s.items(), {0.5, 0.9}, {dir / "v.npy", dir / "i.npy"});
  apply_to_files(model, s.items(), {0.5, 0.9}, {"", dir / "i.csv"});
  const std::vector<double> v = numbers(dir / "v.npy"), bounds = numbers(dir / "i.npy");
  ASSERT_EQ(v.size(), 140u);
  ASSERT_EQ(bounds.size(), 560u);
  EXPECT_EQ(read_npy(dir / "i.npy").shape, (std::vector<std::int64_t>{70, 2, 2, 2}));
  const auto factors = vector_parameter(model.steps.front(), "s");
  constexpr double kQuantile[] = {0.6744897501960817, 1.6448536269514722};
  for (std::size_t e = 0; e < v.size(); ++e) {
    const double factor = factors[e % 2];
    EXPECT_NEAR(v[e], factor * factor * s.variance[e], 1e-12);
    for (std::size_t l = 0; l < 2; ++l) {
      EXPECT_NEAR(bounds[4 * e + 2 * l], s.mean[e] - kQuantile[l] * std::sqrt(v[e]), 1e-9);
      EXPECT_NEAR(bounds[4 * e + 2 * l + 1], s.mean[e] + kQuantile[l] * std::sqrt(v[e]), 1e-9);
    }
  }
  std::ifstream csv(dir / "i.csv");
  std::string header, line;
  std::getline(csv, header);
  EXPECT_EQ(
      header,
      "low_0.5_output0,high_0.5_output0,low_0.9_output0,high_0.9_output0,low_0.5_output1,high_0.5_output1,low_0.9_output1,high_0.9_output1");
  for (std::size_t i = 0; std::getline(csv, line); ++i)
    EXPECT_EQ(line.substr(0, line.find(',')), show(bounds[8 * i])) << i;
}

TEST(ApplyFiles, ConformalModelsHaveNoVariance) {
  const TempDir dir;
  const auto s = test::simulate({.n = 200});
  const CalibrationModel model = fit_regression_model("conformal", s.items());
  EXPECT_THROW(apply_to_files(model, s.items(), {0.9}, {dir / "v.npy", ""}), InputError);
  EXPECT_TRUE(dir.entries().empty());
  RegressionItems no_mean = s.items();
  no_mean.mean.clear();
  no_mean.targets = Rows();
  EXPECT_THROW(apply_to_files(model, no_mean, {0.9}, {"", dir / "i.npy"}), InputError);
}

}  // namespace
}  // namespace plumb
