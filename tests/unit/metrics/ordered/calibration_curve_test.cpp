#include "plumb/metrics/ordered/calibration_curve.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "unit/metrics/ordered/column.hpp"

namespace plumb::test {
namespace {

struct Golden {
  Column column;
  std::vector<double> loess, rcs;
  std::vector<double> loess_errors, rcs_errors;  // ici, e50, e90, emax
};

/// tests/golden/curves.csv, from R (curves.R), in ascending order of p.
Golden golden() {
  std::ifstream in(std::string(PLUMB_SOURCE_DIR) + "/tests/golden/curves.csv");
  std::string line;
  std::getline(in, line);
  std::vector<std::array<double, 4>> rows;
  Golden g;
  while (std::getline(in, line)) {
    if (line.starts_with("#")) {
      std::vector<double>& out = line.starts_with("# loess") ? g.loess_errors : g.rcs_errors;
      std::istringstream words(line);
      for (std::string word; words >> word;)
        if (word.find('.') != std::string::npos) out.push_back(std::stod(word));
      continue;
    }
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream numbers(line);
    std::array<double, 4> row{};
    for (double& x : row) numbers >> x;
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  for (const auto& [p, y, l, r] : rows) {
    g.column.p.push_back(p);
    g.column.hits.push_back(y);
    g.loess.push_back(l);
    g.rcs.push_back(r);
  }
  return g;
}

void expect_errors(const CurveErrors& e, const std::vector<double>& want, double tolerance) {
  ASSERT_EQ(want.size(), 4u);
  EXPECT_NEAR(*e.ici.value, want[0], tolerance);
  EXPECT_NEAR(*e.e50.value, want[1], tolerance);
  EXPECT_NEAR(*e.e90.value, want[2], tolerance);
  EXPECT_NEAR(*e.emax.value, want[3], tolerance);
}

// R solves by QR, we by elimination on moments of centred forecasts.
constexpr double kLoess = 1e-10;
TEST(CalibrationCurve, LoessIsThatOfR) {
  const Golden g = golden();
  ASSERT_EQ(g.loess.size(), 400u);
  const CurvePoints points = curve_points(g.column.view());
  const CurveFit fit = loess_curve(points, points.p, 1);
  for (std::size_t i = 0; i < fit.value.size(); ++i)
    EXPECT_NEAR(fit.value[i], g.loess[i], kLoess) << "p " << g.column.p[i];
  expect_errors(curve_errors(g.column.view(), points, fit), g.loess_errors, kLoess);
}

constexpr double kRcs = 1e-8;  // glm stops by its own rule
TEST(CalibrationCurve, SplineIsThatOfR) {
  const Golden g = golden();
  const CurvePoints points = curve_points(g.column.view());
  const CurveFit fit = rcs_curve(points, points.p, 0);
  ASSERT_EQ(fit.why, "");
  for (std::size_t i = 0; i < fit.value.size(); ++i)
    EXPECT_NEAR(fit.value[i], g.rcs[i], kRcs) << "p " << g.column.p[i];
  expect_errors(curve_errors(g.column.view(), points, fit), g.rcs_errors, kRcs);
}

// Both reproduce what they can represent: a quadratic of p, a line of the log-odds.
TEST(CalibrationCurve, ReproducesItsOwnShapes) {
  CurvePoints c;
  for (int i = 1; i < 100; ++i) {
    c.p.push_back(i / 100.0);
    c.mass.push_back(50);
    c.hits.push_back(50 * (0.1 + 0.3 * c.p.back() + 0.4 * c.p.back() * c.p.back()));
  }
  c.votes = 99 * 50;
  const CurveFit quadratic = loess_curve(c, c.p, 1);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(quadratic.value[i], c.hits[i] / 50, 1e-12);
  for (std::size_t i = 0; i < c.size(); ++i)
    c.hits[i] = 50 / (1 + std::exp(-(0.3 + 0.7 * std::log(c.p[i] / (1 - c.p[i])))));
  const CurveFit line = rcs_curve(c, c.p, 0);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(line.value[i], c.hits[i] / 50, 1e-8);
}

TEST(CalibrationCurve, VotesAndTiesAreRows) {
  const Column c = random_column({.n = 150, .levels = 20, .most_trials = 4, .seed = 3});
  const Column rows = expanded(c);
  for (const Column* one : {&c, &rows}) {
    const CurvePoints points = curve_points(one->view());
    EXPECT_EQ(points.size(), distinct_p(c).size());
    EXPECT_EQ(points.votes, static_cast<double>(rows.size()));
  }
  const auto errors = [](const Column& x) {
    const CurvePoints points = curve_points(x.view());
    return curve_errors(x.view(), points, loess_curve(points, points.p, 1));
  };
  EXPECT_EQ(*errors(c).ici.value, *errors(rows).ici.value);
  EXPECT_EQ(*errors(c).e90.value, *errors(rows).e90.value);
}

// Beyond 10,000 distinct forecasts: cells, whose curve differs little from the direct one.
TEST(CalibrationCurve, CellsOfManyForecasts) {
  Column many = random_column({.n = 12'000, .seed = 4}), few = many;
  for (double& p : few.p) p = std::round(p * 9000) / 9000;
  const CurvePoints cells = curve_points(many.view()), direct = curve_points(few.view());
  EXPECT_EQ(cells.size(), static_cast<std::size_t>(kCurveCells));
  EXPECT_GT(direct.size(), 5000u);
  const CurveErrors a = curve_errors(many.view(), cells, loess_curve(cells, cells.p, 0));
  const CurveErrors b = curve_errors(few.view(), direct, loess_curve(direct, direct.p, 0));
  EXPECT_NEAR(*a.ici.value, *b.ici.value, 1e-4);
  EXPECT_NEAR(*a.emax.value, *b.emax.value, 1e-3);
}

TEST(CalibrationCurve, Edges) {
  EXPECT_EQ(curve_points({}).size(), 0u);
  EXPECT_EQ(curve_errors({}, {}, {}).ici.why, kNoVotes);
  // One forecast: its frequency.
  const Column one{.p = {0.3, 0.3, 0.3, 0.3}, .hits = {1, 0, 0, 0}, .trials = {}, .weight = {}, .times = {}};
  const CurvePoints points = curve_points(one.view());
  const CurveFit fit = loess_curve(points, points.p, 1);
  EXPECT_DOUBLE_EQ(fit.value[0], 0.25);
  EXPECT_NEAR(*curve_errors(one.view(), points, fit).emax.value, 0.05, 1e-15);
  const std::vector<double> elsewhere{0.2, 0.5};
  for (const double v : loess_curve(points, elsewhere, 1).value) EXPECT_DOUBLE_EQ(v, 0.25);
  EXPECT_NE(rcs_curve(points, points.p, 0).why.find("too few values"), std::string::npos);
  const Column sure{.p = {0, 1}, .hits = {0, 1}, .trials = {}, .weight = {}, .times = {}};
  const CurvePoints ends = curve_points(sure.view());
  EXPECT_NE(rcs_curve(ends, ends.p, 0).why.find("log-odds"), std::string::npos);
  EXPECT_FALSE(curve_errors(sure.view(), ends, rcs_curve(ends, ends.p, 0)).ici);
}

}  // namespace
}  // namespace plumb::test
