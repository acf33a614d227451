// A program of somebody else: four forecasts and labels in memory, one call, one number.
#include <cmath>
#include <cstdio>
#include <plumb/evaluate/evaluate.hpp>
#include <plumb/report/json.hpp>

int main() {
  plumb::Items items;
  const plumb::Rows p(plumb::array_of(std::vector<double>{0.25, 0.25, 0.75, 0.75}, {4}, "p"));
  const plumb::Rows y(plumb::array_of(std::vector<std::int64_t>{0, 0, 1, 0}, {4}, "y"));
  items.predictions = plumb::Predictions({p}, plumb::Scale::probability);
  items.votes = plumb::Votes::from_labels(y, 2);
  const plumb::Result result = plumb::evaluate(items, {.bins = 2, .metrics = {"brier", "ece"}});
  std::fputs(plumb::render_json(result).c_str(), stdout);
  for (const auto& [key, m] : result.metrics) {
    const double right = key == "brier" ? 0.1875 : 0.25;  // (3 * 1/16 + 9/16) / 4; both cells are off by 1/4
    if (!m.value || std::abs(*m.value - right) > 1e-15) return 1;
  }
  return result.metrics.size() == 2 ? 0 : 1;
}
