// The automatic choice of a calibrator: it must not make predictions worse, nor be much worse than the
// best method.
#include <cmath>
#include <numeric>

#include "laws/laws.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/map.hpp"
#include "support/make_items.hpp"

namespace plumb::laws {
namespace {

/// Logits of a model: the truth's, times `sharp`, with an offset that grows with the class, some classes
/// never seen, and by `jumble` of another item's logits.
struct Model {
  int classes = 3;
  double spread = 1.5, sharp = 1, offset = 0, jumble = 0;
  double rare = 0;      ///< log-odds by which the last class is rarer
  bool unseen = false;  ///< the fit data happen to lack it
};

struct Drawn {
  std::vector<double> u;
  std::vector<std::int64_t> label;
};

Drawn draw(const Model& m, std::int64_t n, bool unseen, std::uint64_t seed, std::uint32_t which) {
  RandomStream rng(seed, Purpose::demo, which);
  Drawn out;
  std::vector<double> truth(m.classes);
  while (std::ssize(out.label) < n) {
    double top = 0;
    for (int k = m.classes == 2 ? 1 : 0; k < m.classes; ++k) {
      truth[k] = m.spread * rng.normal() - (k + 1 == m.classes ? m.rare : 0);
      top = std::max(top, truth[k]);
    }
    double sum = 0;
    for (const double t : truth) sum += std::exp(t - top);
    double r = rng.uniform() * sum;
    int y = 0;
    while (y + 1 < m.classes && (r -= std::exp(truth[y] - top)) >= 0) ++y;
    std::vector<double> noise(m.classes);
    for (double& x : noise) x = rng.normal();
    if (unseen && y + 1 == m.classes) continue;
    for (int k = m.classes == 2 ? 1 : 0; k < m.classes; ++k)
      out.u.push_back(m.sharp * (truth[k] + m.jumble * noise[k]) + m.offset * k / (m.classes - 1));
    out.label.push_back(y);
  }
  return out;
}

Items items_of(const Drawn& d, int classes) {
  const std::int64_t n = std::ssize(d.label);
  Items items;
  const std::vector<std::int64_t> shape =
      classes == 2 ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, classes};
  items.predictions = Predictions({Rows(array_of(d.u, shape, "logits"))}, Scale::logit);
  items.votes = Votes::from_labels(Rows(array_of(d.label, {n}, "labels")), classes);
  return items;
}

/// Log-loss of each item.
std::vector<double> losses(const Step& step, const Items& items, const std::vector<std::int64_t>& label) {
  PredictionBlock z;
  Pipeline(model_of(step, items.classes())).apply(items.predictions, 0, items.size(), z);
  std::vector<double> out;
  for (std::int64_t i = 0; i < items.size(); ++i) {
    const double p = z.width > 1 ? z.z[i * z.width + label[i]] : label[i] == 1 ? z.z[i] : 1 - z.z[i];
    out.push_back(-std::log(std::max(p, 1e-300)));
  }
  return out;
}

double mean(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// Not worse than none by 0.005, or by one standard error of the difference on 2,000 fresh items.
bool harmless(const Step& step, const Items& fresh, const std::vector<std::int64_t>& label) {
  const auto none = losses({"none"}, fresh, label), own = losses(step, fresh, label);
  std::vector<double> worse(none.size());
  for (std::size_t i = 0; i < none.size(); ++i) worse[i] = own[i] - none[i];
  const double by = mean(worse);
  double squares = 0;
  for (const double w : worse) squares += (w - by) * (w - by);
  const auto n = static_cast<double>(worse.size());
  return by <= std::max(0.005, std::sqrt(squares / (n - 1) / n));
}

struct Setting {
  const char* name;
  Model model;
  std::vector<std::int64_t> sizes;
  int whole;  ///< sets
};

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all{
      {"binary, calibrated", {.classes = 2}, {50, 100, 500, 5000}, 150},
      {"binary, over-confident", {.classes = 2, .sharp = 2}, {50, 500, 5000}, 100},
      {"K = 3, calibrated", {.classes = 3}, {50, 200, 1000}, 100},
      {"K = 10, a class favoured", {.classes = 10, .sharp = 1.5, .offset = 2}, {50, 500, 5000}, 40},
      {"K = 10, saturated, nearly all right", {.classes = 10, .spread = 12, .sharp = 2}, {50, 100, 500}, 100},
      {"K = 5, a class without votes",
       {.classes = 5, .sharp = 1.5, .rare = 3.5, .unseen = true},
       {50, 200},
       100},
      {"K = 100", {.classes = 100, .spread = 2, .sharp = 1.3}, {200}, 24},
  };
  return all;
}

void harm(Book& book) {
  for (const Setting& s : settings())
    for (const std::int64_t n : s.sizes) {
      const int sets = n > 2000 ? s.whole / 5 : s.whole;
      const auto kept = simulate_sets(book.sets(sets, n > 500 ? 1 : 4), book.seed(), [&](std::uint64_t seed) {
        const Drawn fit = draw(s.model, n, s.model.unseen, seed, 0),
                    fresh = draw(s.model, 2000, false, seed, 1);
        const AutoChoice c = fit_auto(items_of(fit, s.model.classes), {.threads = 1});
        return harmless(c.steps.front(), items_of(fresh, s.model.classes), fresh.label);
      });
      book.rate("`auto` is no worse than `none` by 0.005 or a standard error",
                std::string(s.name) + ", n = " + std::to_string(n), {0.95, 1}, kept);
    }
}

/// Log-loss on fresh items above that of the best single method, which the fit could not know.
void regret(Book& book) {
  const std::vector<Setting> some{
      {"binary, over-confident", {.classes = 2, .sharp = 2}, {500}, 60},
      {"binary, shifted", {.classes = 2, .sharp = 1.5, .offset = 1}, {500}, 60},
      {"K = 3, calibrated", {.classes = 3}, {500}, 40},
      {"K = 10, a class favoured", {.classes = 10, .sharp = 1.5, .offset = 2}, {500}, 16},
      {"K = 4, noisy logits", {.classes = 4, .sharp = 1.5, .jumble = 0.5}, {500, 2000}, 24},
  };
  for (const Setting& s : some)
    for (const std::int64_t n : s.sizes) {
      const auto lost = simulate_sets(book.sets(s.whole, 2), book.seed() + 1, [&](std::uint64_t seed) {
        const Drawn fit = draw(s.model, n, false, seed, 0), fresh = draw(s.model, 5000, false, seed, 1);
        const Items items = items_of(fit, s.model.classes), held = items_of(fresh, s.model.classes);
        const AutoChoice c = fit_auto(items, {.threads = 1});
        const double own = mean(losses(c.steps.front(), held, fresh.label));
        double best = own;
        for (const LeagueRow& row : c.league)
          if (row.why.empty())
            best = std::min(best, mean(losses(fit_calibrator(row.method, items, {.threads = 1}).front(), held,
                                              fresh.label)));
        return own - best;
      });
      book.mean("log-loss of `auto` above the best single method",
                std::string(s.name) + ", n = " + std::to_string(n), {0, 0.005}, lost);
    }
}

void automatic(Book& book) {
  harm(book);
  regret(book);
}
const Topic kAuto{"auto", automatic};

}  // namespace
}  // namespace plumb::laws
