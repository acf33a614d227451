#include "report/next_step.hpp"

#include <algorithm>
#include <array>

#include "plumb/data/option_name.hpp"
#include "report/look_up.hpp"

namespace plumb::detail {
namespace {

// What describes the data, and so goes on to another command.
constexpr std::array kData{"probs",     "logits",    "samples",  "sample_logits", "normalize",
                           "labels",    "counts",    "ratings",  "classes",       "weights",
                           "groups",    "mean",      "variance", "std",           "targets",
                           "aleatoric", "epistemic", "errors",   "mean_samples",  "variance_samples"};

std::string flag(const std::string& name) { return spell(opt(name), kFlag); }

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

using Parts = std::vector<std::string>;

/// "-1,1" is a value.
bool is_flag(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && (word[1] == '-' || (word[1] >= 'a' && word[1] <= 'z'));
}

bool names_data(const std::string& word) {
  return std::any_of(kData.begin(), kData.end(), [&](const char* name) {
    const std::string f = flag(name);
    return word == f || word.starts_with(f + "=");
  });
}

/// Flags of the command line with their values; `keep` chooses among the flags.
template <class Keep>
Parts arguments(const Result& r, Keep keep) {
  Parts out;
  bool kept = false;
  for (std::size_t i = 2; i < r.argv.size(); ++i) {
    const std::string& word = r.argv[i];
    if (is_flag(word)) {
      kept = keep(word);
      if (kept) out.push_back(quoted(word));
    } else if (kept) {
      out.back() += " " + quoted(word);
    }
  }
  return out;
}

Parts with_replicates(const Result& r) {
  if (r.argv.size() < 2) return {};
  const std::string bootstrap = flag("bootstrap");
  Parts out = arguments(r, [&](const std::string& word) { return !word.starts_with(bootstrap); });
  out.insert(out.begin(), "plumb " + r.argv[1]);
  out.push_back(bootstrap + " 200");
  return out;
}

Parts with_data(const Result& r, const std::string& command, const Parts& more) {
  Parts out = arguments(r, names_data);
  if (out.empty()) return {};
  out.insert(out.begin(), "plumb " + command);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

NextStep after_evaluate(const Result& r) {
  const std::string& verdict = r.verdict.verdict;
  const bool regression = r.task == "regression";
  if (verdict.empty()) {
    if (setting<std::int64_t>(r, "bootstrap", 0) > 0 || r.items <= 1) return {};
    return {"Get intervals and a verdict:", with_replicates(r)};
  }
  if (verdict == "off") {
    if (regression)
      return {"Repair the variances, best on data held out from this test set:",
              with_data(r, "calibrate fit", {flag("method") + " sigma", "-o calibrator.json"})};
    return {"Fit a calibrator. Out-of-fold probabilities can be evaluated on these items without bias:",
            with_data(r, "calibrate fit",
                      {flag("method") + " auto", "-o calibrator.json", flag("cross_fit") + " 5",
                       flag("out_probs") + " calibrated.npy"})};
  }
  if (regression) return {};
  if (verdict == "cannot tell")
    return {"Add items to the test set. How the estimate settles as the set grows:",
            with_data(r, "stability", {})};
  const auto accuracy = value_of(r.metrics, "accuracy");
  if (!accuracy || *accuracy >= 1) return {};
  return {"Look at the confident wrong answers and at what to hand over to a person:",
          with_data(r, "uncertainty", {flag("suspects") + " 20"})};
}

}  // namespace

std::string NextStep::command() const {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : " ") + part;
  return out;
}

NextStep next_step(const Result& r) {
  if (r.command != "evaluate") return {};
  NextStep out = after_evaluate(r);
  return out.parts.empty() ? NextStep{} : out;
}

}  // namespace plumb::detail
