// A user's program: four forecasts and labels in memory, one number known by hand, and a model whose file the
// header without dependencies reads to the same probabilities.
#include <cmath>
#include <cstdio>
#include <plumb/apply.hpp>
#include <plumb/plumb.hpp>
#include <vector>

int main() {
  const std::vector<double> p{0.25, 0.25, 0.75, 0.75};
  const plumb::Items items = plumb::make_items({.probs = p, .labels = std::vector{0, 0, 1, 0}});
  const plumb::Result result = plumb::evaluate(items, {.bins = 2, .metrics = {"brier", "ece"}});
  std::fputs(plumb::to_json(result).c_str(), stdout);
  // (3 * 1/16 + 9/16) / 4; both bins are off by 1/4.
  if (result["brier"].value != 0.1875 || result["ece"].value != 0.25) return 1;

  const plumb::Model model = plumb::fit("temperature", items);
  const std::vector<double> z = plumb::probabilities(model.apply(items));
  const auto reader = plumb::apply::Calibrator::parse(model.to_bytes());
  for (std::size_t i = 0; i < p.size(); ++i) {
    double one = 0;
    reader({&p[i], 1}, plumb::apply::Input::probabilities, {&one, 1});
    if (std::abs(one - z[i]) > 1e-12) return 1;
  }
  return result.version == PLUMB_VERSION_STRING ? 0 : 1;
}
