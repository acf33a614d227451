#include "plumb/evaluate/cases.hpp"

#include <future>

#include "evaluate/case_pool.hpp"
#include "evaluate/checks.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/nothing_left.hpp"
#include "plumb/numeric/progress.hpp"

namespace plumb {

using namespace detail;

namespace {

/// Cases in order, the next one that is to be read on a thread of its own.
class CaseReader {
 public:
  CaseReader(std::int64_t cases, const std::function<Case(std::int64_t)>& read, const CaseStore& store)
      : cases_(cases), read_(read), store_(store) {
    begin(0);
  }
  /// The bytes of case i if it was finished before; otherwise it is read by `take`.
  [[nodiscard]] std::optional<std::string> finished(std::int64_t i) const {
    return store_.load ? store_.load(i) : std::nullopt;
  }
  [[nodiscard]] Case take(std::int64_t i) {
    if (!ahead_.valid() || at_ != i) throw std::logic_error("cases are read in order");
    std::future<Case> now = std::move(ahead_);
    // Not before this one is there: one reader at a time, and the case before it is free by now.
    now.wait();
    begin(i + 1);
    return now.get();
  }

 private:
  void begin(std::int64_t from) {
    for (at_ = from; at_ < cases_ && finished(at_); ++at_) {
    }
    if (at_ < cases_) ahead_ = std::async(std::launch::async, [this, i = at_] { return read_(i); });
  }

  std::int64_t cases_, at_ = 0;
  const std::function<Case(std::int64_t)>& read_;
  const CaseStore& store_;
  std::future<Case> ahead_;
};

void check_case_options(const EvaluateOptions& o) {
  check_options(o);
  if (o.binning == Binning::mass)
    throw InputError("⟦manifest⟧ needs ⟦binning⟧ width; ece_mass has equal-mass bins");
  if (o.ties == Ties::random)
    throw InputError("⟦manifest⟧ and ⟦ties⟧ random cannot be combined; use ⟦ties⟧ half");
}

/// Names of cases, the first few of many.
std::string some_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  const std::vector<std::string> first(names.begin(), names.begin() + std::min(names.size(), kMost));
  return separated(first) + (names.size() > kMost ? ", ..." : "");
}

void add_skipped(Tree::List skipped, Result& result) {
  if (skipped.empty()) return;
  result.notes.push_back(counted(std::ssize(skipped), "case") + " could not be read and " +
                         (skipped.size() == 1 ? "was" : "were") + " left out");
  result.sections.emplace_back("skipped", std::move(skipped));
}

}  // namespace

Result evaluate_cases(std::span<const std::string> names, const std::function<Case(std::int64_t)>& read,
                      const CasesOptions& options, EvaluateState* state) {
  const EvaluateOptions& o = options.evaluate;
  check_case_options(o);
  Progress progress(o.progress, o.cancel);
  const auto n = std::ssize(names);
  progress.expect(static_cast<double>(n));
  CasePool pool(options);
  CaseReader reader(n, read, options.store);
  Tree::List skipped;
  std::vector<std::string> empty;
  std::string nothing;  // why the first of them is empty
  for (std::int64_t i = 0; i < n; ++i) {
    if (const std::optional<std::string> bytes = reader.finished(i)) {
      pool.add(deserialize_case(*bytes, options.store.name));
      progress.add(1);
      continue;
    }
    std::string done;
    try {
      CaseSums sums = measure_case(reader.take(i), options, state != nullptr);
      if (options.store.save) done = serialize(sums);
      pool.add(std::move(sums));
    } catch (const NothingLeft& e) {  // for example, no lesion was predicted: nothing to add
      if (empty.empty()) nothing = e.sentence();
      empty.push_back(names[i]);
    } catch (const InputError& e) {
      const std::string why = "case " + names[i] + ": " + e.sentence();
      if (!options.skip_errors) throw InputError(why);
      skipped.emplace_back(
          Tree::Members{{"case", Tree(Value(names[i]))}, {"why", Tree(Value(e.sentence()))}});
      done.clear();
    }
    if (!done.empty()) options.store.save(i, done);
    progress.add(1);
  }
  if (std::ssize(skipped) == n && n > 0)
    throw InputError(n == 1 ? "the only case could not be read"
                            : "none of the " + counted(n, "case") + " could be read");
  if (std::ssize(empty) + std::ssize(skipped) == n && n > 0)
    throw InputError("case " + empty.front() + ": " + nothing +
                     (n > 1 ? ", and no other case has a voxel left" : ""));
  Result result = pool.finish(state);
  if (!empty.empty())
    result.notes.push_back(counted(std::ssize(empty), "case") + (empty.size() == 1 ? " has" : " have") +
                           " no voxel left and " + (empty.size() == 1 ? "adds" : "add") +
                           " nothing: " + some_names(empty));
  add_skipped(std::move(skipped), result);
  return result;
}

}  // namespace plumb
