#include "plumb/raters/dawid_skene.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "plumb/data/check.hpp"
#include "plumb/numeric/elementary.hpp"
#include "plumb/numeric/exact_sum.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/progress.hpp"
#include "raters/posteriors.hpp"

namespace plumb {
namespace {

using detail::ExpectedVotes;
using detail::Posteriors;

constexpr std::int64_t kMostCells = std::int64_t{1} << 27;  // 1 GB of doubles

std::int64_t all_votes(const Judgements& votes, std::span<const std::uint32_t> times) {
  if (times.empty()) return std::ssize(votes.cls);
  std::int64_t out = 0;
  for (std::size_t i = 0; i < times.size(); ++i) out += times[i] * (votes.offset[i + 1] - votes.offset[i]);
  return out;
}

/// Probabilities of a row from expected counts and pseudo-votes. A row without any is even.
void normalise_row(std::span<double> row, double prior) {
  constexpr double kLeast = 1e-10;  // a vote that never happened is not impossible
  double sum = 0;
  for (double& x : row) sum += x = std::max(x + prior / std::ssize(row), kLeast);
  for (double& x : row) x /= sum;
}

/// One accuracy for all rows, and even errors.
void make_one_coin(std::span<double> matrix, int classes, double prior) {
  double right = 0, all = 0;
  for (int k = 0; k < classes; ++k)
    for (int y = 0; y < classes; ++y) {
      all += matrix[k * classes + y];
      if (k == y) right += matrix[k * classes + y];
    }
  std::vector<double> two{right, all - right};
  two[0] += prior / classes;
  two[1] += prior - prior / classes;
  normalise_row(two, 0);
  for (int k = 0; k < classes; ++k)
    for (int y = 0; y < classes; ++y)
      matrix[k * classes + y] = k == y ? two[0] : two[1] / std::max(1, classes - 1);
}

double largest_change(std::span<const double> a, std::span<const double> b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

/// The maximisation: parameters from expected counts.
void maximise(const ExpectedVotes& e, const DawidSkeneOptions& o, DawidSkene& fit) {
  const std::int64_t k = fit.classes;
  for (std::int64_t c = 0; c < k; ++c) fit.prevalence[c] = e.items(c);
  normalise_row(fit.prevalence, o.prior);
  parallel_blocks(fit.raters, 16, o.threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const std::span<double> matrix(fit.confusion.data() + r * k * k, k * k);
      for (std::int64_t c = 0; c < k; ++c) {
        double seen = 0;
        for (std::int64_t y = 0; y < k; ++y) seen += matrix[c * k + y] = e.votes(r, c, y);
        fit.seen[r * k + c] = seen;
        if (!o.one_coin) normalise_row(matrix.subspan(c * k, k), o.prior);
      }
      if (o.one_coin) make_one_coin(matrix, fit.classes, o.prior);
    }
  });
}

/// log of the prior, up to a constant.
double log_prior(const DawidSkene& fit, const DawidSkeneOptions& o) {
  if (o.prior == 0) return 0;
  const double each = o.prior / fit.classes;
  ExactSum sum;
  for (const double p : fit.prevalence) sum.add(each * log_portable(p));
  if (o.one_coin) {
    for (int r = 0; r < fit.raters; ++r)
      sum.add(each * log_portable(fit.cell(r, 0, 0)) +
              (o.prior - each) * log_portable(1 - fit.cell(r, 0, 0)));
  } else {
    std::vector<double> logs(fit.confusion.size());
    log_block(fit.confusion, logs);
    for (const double x : logs) sum.add(each * x);
  }
  return sum.value();
}

/// Expectation and maximisation, and the objective on the way.
class Iteration {
 public:
  Iteration(const Judgements& votes, std::span<const std::uint32_t> times, int classes, int raters,
            const DawidSkeneOptions& o)
      : votes_(votes),
        times_(times),
        o_(o),
        expected_(classes, raters, all_votes(votes, times), resolve_threads(o.threads)) {}

  void start(DawidSkene& fit) {
    expected_.count_shares(votes_, times_, o_.threads);
    maximise(expected_, o_, fit);
  }
  /// `next` becomes the parameters after `at`; returns the objective of `at`.
  double step(const DawidSkene& at, DawidSkene& next) {
    next = at;
    const double log_likelihood = expected_.count(Posteriors(at), votes_, times_, o_.threads);
    maximise(expected_, o_, next);
    next.change = std::max(largest_change(next.confusion, at.confusion),
                           largest_change(next.prevalence, at.prevalence));
    next.converged = next.change <= o_.tolerance;
    next.iterations = at.iterations + 1;
    return log_likelihood + log_prior(at, o_);
  }

 private:
  const Judgements& votes_;
  std::span<const std::uint32_t> times_;
  const DawidSkeneOptions& o_;
  ExpectedVotes expected_;
};

/// Squared extrapolation (Varadhan and Roland 2008, scheme 3): a - 2 s r + s^2 v with r = b - a,
/// v = c - b - r, s = -|r|/|v|, made probabilities again.
DawidSkene extrapolated(const DawidSkene& a, const DawidSkene& b, const DawidSkene& c) {
  constexpr double kLeast = 1e-10;
  double rr = 0, vv = 0;
  const auto each = [&](auto body) {
    for (std::size_t i = 0; i < a.prevalence.size(); ++i)
      body(a.prevalence[i], b.prevalence[i], c.prevalence[i]);
    for (std::size_t i = 0; i < a.confusion.size(); ++i) body(a.confusion[i], b.confusion[i], c.confusion[i]);
  };
  each([&](double x, double y, double z) {
    rr += (y - x) * (y - x);
    vv += (z - 2 * y + x) * (z - 2 * y + x);
  });
  const double s = vv > 0 ? std::min(-1.0, -std::sqrt(rr / vv)) : -1;
  DawidSkene out = c;
  std::size_t at = 0;
  each([&](double x, double y, double z) {
    double& to = at < out.prevalence.size() ? out.prevalence[at] : out.confusion[at - out.prevalence.size()];
    to = std::max(kLeast, x - 2 * s * (y - x) + s * s * (z - 2 * y + x));
    ++at;
  });
  normalise_row(out.prevalence, 0);
  for (std::size_t row = 0; row < out.confusion.size(); row += out.classes)
    normalise_row({out.confusion.data() + row, static_cast<std::size_t>(out.classes)}, 0);
  return out;
}

}  // namespace

double DawidSkene::accuracy(int rater) const {
  double out = 0;
  for (int k = 0; k < classes; ++k) out += prevalence[k] * cell(rater, k, k);
  return out;
}

DawidSkene fit_dawid_skene(const Judgements& votes, int classes, int raters, const DawidSkeneOptions& o,
                           std::span<const std::uint32_t> times, const DawidSkene* start) {
  const std::int64_t cells = std::int64_t{raters} * classes * classes;
  if (cells > kMostCells)
    throw InputError(fmt::format(
        "{} raters with confusion matrices of {} classes do not fit in memory; leave out raters with few votes, or join classes",
        raters, classes));
  DawidSkene fit;
  fit.classes = classes;
  fit.raters = raters;
  fit.prevalence.resize(classes);
  fit.confusion.resize(cells);
  fit.seen.resize(std::int64_t{raters} * classes);
  Iteration iteration(votes, times, classes, raters, o);
  if (start != nullptr) {
    fit = *start;
  } else {
    iteration.start(fit);
  }
  fit.converged = false;
  fit.iterations = 0;
  // Two plain steps, then one from where they lead to, unless that is a worse place.
  DawidSkene first, second, third;
  const auto goes_on = [&](const DawidSkene& at) { return !at.converged && at.iterations < o.iterations; };
  while (goes_on(fit)) {
    if (o.cancel.stop_requested()) throw Cancelled();
    iteration.step(fit, first);
    std::swap(fit, first);  // fit: after one step, first: before
    if (!goes_on(fit)) break;
    const double objective = iteration.step(fit, second);
    std::swap(fit, second);
    if (!goes_on(fit)) break;
    const double reached = iteration.step(extrapolated(first, second, fit), third);
    ++fit.iterations;
    if (reached >= objective) std::swap(fit, third);
  }
  fit.log_likelihood = Posteriors(fit).log_likelihood(votes, times, o.threads);
  return fit;
}

std::vector<double> consensus_of(const DawidSkene& fit, const Judgements& votes, int threads) {
  const std::int64_t n = std::ssize(votes.offset) - 1, k = fit.classes;
  std::vector<double> out(n * k);
  const Posteriors posteriors(fit);
  parallel_blocks(n, detail::kItemBlock, threads, [&](int, std::int64_t begin, std::int64_t end) {
    posteriors.fill(votes, begin, end, {out.data() + begin * k, static_cast<std::size_t>((end - begin) * k)});
  });
  return out;
}

}  // namespace plumb
