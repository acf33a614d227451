// The raters themselves: plumb.raters.
#include "plumb/raters/raters.hpp"

#include <nanobind/stl/string.h>

#include <optional>

#include "arrays.hpp"
#include "options.hpp"
#include "plumb/data/check.hpp"
#include "plumb/model/consensus.hpp"
#include "plumb/plumb.hpp"
#include "plumb/report/ceiling.hpp"
#include "plumb/report/raters.hpp"
#include "results.hpp"
#include "run.hpp"

namespace plumb::python {
namespace {

/// Gold votes for the items, by row.
std::optional<Votes> gold_votes(const Data& gold, const Data& counts, const Items& items) {
  if (!gold.given() && !counts.given()) return std::nullopt;
  if (gold.given() && counts.given())
    throw InputError("⟦gold⟧ and ⟦gold_counts⟧ cannot be combined; give one of them");
  const int classes = items.votes.classes();
  Votes out = gold.given() ? Votes::from_ratings(gold.rows("gold"), classes, items.class_names)
                           : Votes::from_counts(counts.rows("gold_counts"), classes);
  check_same_rows(items.votes.rows().name(), items.votes.items(), out.rows().name(), out.items());
  return out;
}

struct Described {
  Result result;
  RatersResult raters;
  RatersOptions options;
  Votes votes;
  ItemNames names;
  std::vector<CeilingRow> ceiling;
  std::optional<Result> judged;  // the consensus against gold votes
  CalibratedConsensus calibrated;

  [[nodiscard]] std::string text(const TerminalOptions& o) const {
    std::string out = render_raters(raters, options, votes, names, o) + render_ceiling(ceiling, votes, o);
    if (!judged) return out;
    return out + "\nThe consensus against the gold votes\n" + render_terminal(*judged, o) +
           render_calibrated_consensus(calibrated.model.steps.back().method, kGoldFolds, calibrated.scores);
  }
};

Described describe(const ReadItems& read, const std::optional<Votes>& gold, const std::string& method,
                   const RatersOptions& o) {
  Described out;
  out.options = o;
  out.votes = read.items.votes;
  out.names = {read.ids, read.items.class_names};
  out.raters = describe_raters(read.items.votes, read.items.groups, o);
  if (gold) {
    Items judged = consensus_items(read.items, out.raters.consensus);
    judged.votes = *gold;
    EvaluateOptions how;
    how.bootstrap = o.bootstrap;
    how.level = o.level;
    how.seed = o.seed;
    how.threads = o.threads;
    how.cancel = o.cancel;
    out.result = evaluate(judged, how);
    out.judged = out.result;
    out.calibrated = calibrate_consensus(judged, out.result, method, how);
    add_calibrated_consensus(out.calibrated.model.steps.back().method, kGoldFolds, out.calibrated.scores,
                             out.result);
  }
  out.result.version = version();
  out.result.command = "raters";
  add_raters(out.raters, o, out.votes, out.names, out.result);
  if (read.items.size() > 0) {
    out.ceiling = human_ceiling(read.items, o.ordered, o.level);
    add_ceiling(out.ceiling, out.votes, out.result);
  }
  add_read_notes(read, out.result);
  return out;
}

/// (result, consensus N x K, the consensus calibrated on gold votes or None)
nb::object raters_of(nb::dict columns, nb::dict keywords) {
  Arguments arguments(std::move(columns));
  const ItemColumns read = item_columns(arguments);
  const Data gold = arguments.data("gold", Holds::classes), counts = arguments.data("gold_counts");
  const Keywords given(std::move(keywords));
  RatersOptions options = raters_options(given);
  std::string method = kGoldMethod;
  given.read("gold_method", method);
  if (given.given("gold_method") && !gold.given() && !counts.given())
    throw InputError("⟦gold_method⟧ has no effect without ⟦gold⟧ or ⟦gold_counts⟧; leave it out");
  check_fit_options(method, FitOptions{});
  Described d = run(true, arguments.object("progress"), [&](const Hooks& hooks) {
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    const ReadItems items = read_ratings(read, options.threads);
    if (gold.given() && items.items.votes.kind() == Votes::Kind::judgements && !read.ids.given())
      throw InputError(
          "⟦gold⟧ has a row for each item, but the order of the items is not given; name them with ⟦ids⟧");
    return describe(items, gold_votes(gold, counts, items.items), method, options);
  });
  record_call(arguments, d.result);
  const std::vector<std::int64_t> shape{d.raters.items, d.raters.fit.classes};
  nb::object consensus = numpy_array(std::vector<double>(d.raters.consensus), shape);
  nb::object calibrated = nb::none();
  if (d.judged) {
    const std::int64_t width = std::ssize(d.calibrated.probabilities) / std::max<std::int64_t>(1, shape[0]);
    calibrated = numpy_array(std::move(d.calibrated.probabilities), {shape[0], width});
  }
  Result result = d.result;
  PrintedResult printed{std::move(result),
                        [d = std::move(d)](const TerminalOptions& o) { return d.text(o); }};
  return nb::make_tuple(nb::cast(std::move(printed)), consensus, calibrated);
}

}  // namespace

void bind_raters(nb::module_& m) { m.def("raters", &raters_of, nb::arg("columns"), nb::arg("options")); }

}  // namespace plumb::python
