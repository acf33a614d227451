#include "plumb/evaluate/cases.hpp"

#include <algorithm>
#include <deque>
#include <future>

#include "evaluate/case_pool.hpp"
#include "evaluate/checks.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/nothing_left.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/numeric/progress.hpp"

namespace plumb {

using namespace detail;

namespace {

/// How many cases may be read while one is evaluated: one on two threads, more on more, as long as they
/// are small.
std::int64_t most_ahead(const Case& c, int threads) {
  constexpr double kBytes = 1 << 27;
  const int classes = c.items.classes();
  const double voxel = 2.0 * static_cast<double>(c.raters.size()) + (classes == 2 ? 4 : 8.0 * classes);
  const double bytes = voxel * static_cast<double>(std::max<std::int64_t>(c.items.size(), 1));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(kBytes / bytes, threads / 2.0)));
}

/// Cases in order, the next ones that are to be read on threads of their own.
class CaseReader {
 public:
  CaseReader(std::int64_t cases, const std::function<Case(std::int64_t)>& read, const CaseStore& store,
             int threads)
      : cases_(cases), threads_(threads), read_(read), store_(store) {
    read_ahead();
  }
  /// The bytes of case i if it was finished before; otherwise it is read by `take`.
  [[nodiscard]] std::optional<std::string> finished(std::int64_t i) const {
    return store_.load ? store_.load(i) : std::nullopt;
  }
  [[nodiscard]] Case take(std::int64_t i) {
    if (ahead_.empty() || ahead_.front().first != i) throw std::logic_error("cases are read in order");
    std::future<Case> now = std::move(ahead_.front().second);
    ahead_.pop_front();
    // Not before this one is there: the case before it is free by now.
    now.wait();
    read_ahead();
    Case out = now.get();
    most_ = most_ahead(out, threads_);
    return out;
  }

 private:
  void read_ahead() {
    for (; next_ < cases_ && std::ssize(ahead_) < most_; ++next_)
      if (!finished(next_))
        ahead_.emplace_back(next_, std::async(std::launch::async, [this, i = next_] { return read_(i); }));
  }

  std::int64_t cases_, next_ = 0, most_ = 1;
  int threads_;
  const std::function<Case(std::int64_t)>& read_;
  const CaseStore& store_;
  std::deque<std::pair<std::int64_t, std::future<Case>>> ahead_;
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
  CaseReader reader(n, read, options.store, resolve_threads(o.threads));
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
