#include "report/next_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plumb/data/option_name.hpp"
#include "report/look_up.hpp"
#include "report/words.hpp"

namespace plumb::detail {
namespace {

// What describes the data, and so goes on to another command.
constexpr std::array kData{"probs",      "logits",       "samples",         "sample_logits", "normalize",
                           "labels",     "counts",       "ratings",         "annotations",   "ids",
                           "duplicates", "classes",      "weights",         "groups",        "mean",
                           "variance",   "std",          "targets",         "aleatoric",     "epistemic",
                           "errors",     "mean_samples", "variance_samples"};

constexpr std::array kPredictions{"probs", "logits", "samples", "sample_logits", "normalize"};

constexpr std::int64_t kAffordable = 100'000;  // replicates
/// With fewer no p-value can reach 1 - level.
std::int64_t fewest_replicates(double level) {
  return static_cast<std::int64_t>(std::ceil(std::min(1e15, 1 / (1 - level) - 1 - 1e-6)));
}

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

/// The call of Python's plumb.evaluate() with this keyword; nothing for another call.
Parts same_call_with(std::string call, const std::string& name, const std::string& value) {
  if (!call.starts_with("plumb.evaluate") || !call.ends_with(")")) return {};
  const std::string keyword = name + "=";
  const std::size_t at = std::min(call.find(" " + keyword), call.find("(" + keyword));
  if (at != std::string::npos) {
    call.replace(at + 1, call.find_first_of(",)", at + 1) - at - 1, keyword + value);
  } else {
    call.insert(call.size() - 1, (call.ends_with("()") ? "" : ", ") + keyword + value);
  }
  return {call};
}

/// The same command with this option, on the CPU: draws are not computed on a device.
Parts same_command_with(const Result& r, const std::string& name, const std::string& value) {
  if (r.argv.size() < 2) return {};
  if (r.argv[0] == "python") return same_call_with(r.argv[1], name, value);
  const std::array<std::string, 2> left_out{flag(name), flag("device")};
  Parts out = arguments(r, [&](const std::string& word) {
    return std::none_of(left_out.begin(), left_out.end(),
                        [&](const std::string& one) { return word == one || word.starts_with(one + "="); });
  });
  out.insert(out.begin(), "plumb " + r.argv[1]);
  out.push_back(left_out[0] + " " + value);
  return out;
}

Parts with_data(const Result& r, const std::string& command, const Parts& more) {
  Parts out = arguments(r, names_data);
  if (out.empty()) return {};
  out.insert(out.begin(), "plumb " + command);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

template <std::size_t n>
Parts only(const Result& r, const std::array<const char*, n>& names) {
  return arguments(r, [&](const std::string& word) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) {
      return word == flag(name) || word.starts_with(flag(name) + "=");
    });
  });
}

/// Of "--probs a.npy b.npy" the files, as a shell takes them.
std::string value_in(const std::string& part) {
  const auto at = part.find_first_of(" =");
  return at == std::string::npos ? "" : part.substr(at + 1);
}

/// The model that was applied first, as a shell takes it; empty without one.
std::string calibrator_of(const Result& r) {
  const Parts given = only(r, std::array{"calibrator"});
  return given.empty() ? "" : value_in(given.back());
}

/// The calibrated probabilities as a file, for commands that apply no calibrator themselves.
Parts applied(const Result& r, const std::string& calibrator) {
  Parts out = only(r, kPredictions);
  if (out.empty()) return {};
  out.insert(out.begin(), "plumb calibrate apply " + calibrator);
  out.push_back("-o calibrated.npy");
  return out;
}

bool below_guessing(const Result& r) {
  const auto sentences = result_sentences(r);
  const auto claims = claims_of(sentences);
  return std::find(claims.begin(), claims.end(), Claim::below_guessing) != claims.end();
}

NextStep compare_order(const Result& r) {
  Parts files{"plumb describe"};
  for (const std::string& part : only(r, std::array{"probs", "logits", "labels", "counts", "ratings"}))
    files.push_back(value_in(part));
  if (files.size() < 2) return {};
  return {"Compare the order of the columns with the labels:", files, {Claim::advise_class_order}};
}

NextStep after_off(const Result& r) {
  if (r.task == "regression")
    return {"Calibrate the variances, preferably on data held out from this test set:",
            with_data(r, "calibrate fit", {flag("method") + " sigma", "-o calibrator.json"}),
            {Claim::advise_calibrator}};
  if (below_guessing(r)) return compare_order(r);
  Parts more{flag("method") + " auto", "-o calibrator.json", flag("cross_fit") + " 5",
             flag("out_probs") + " calibrated.npy"};
  if (const std::string first = calibrator_of(r); !first.empty()) {
    more.insert(more.begin(), flag("after") + " " + first);
    return {"The calibrator does not suit these data. Fit another one on top of it, or a new one without " +
                opt("after") + ":",
            with_data(r, "calibrate fit", more),
            {Claim::advise_calibrator}};
  }
  return {"Fit a calibrator. Out-of-fold probabilities can be evaluated on these items without bias:",
          with_data(r, "calibrate fit", more),
          {Claim::advise_calibrator}};
}

NextStep after_cannot_tell(const Result& r) {
  const double level = setting<double>(r, "level", 0.95);
  if (r.verdict.why.find("cannot reach this level") != std::string::npos) {
    if (fewest_replicates(level) <= kAffordable)
      return {"Draw enough replicates for this level:",
              same_command_with(r, "bootstrap",
                                std::to_string(std::max<std::int64_t>(200, fewest_replicates(level)))),
              {Claim::advise_replicates}};
    return {"Choose a level that replicates can reach:",
            same_command_with(r, "level", "0.95"),
            {Claim::advise_replicates}};
  }
  if (r.task == "regression" || !r.verdict.estimate) return {};  // a single item or group does not settle
  const std::string add =
      "Add " + (r.verdict.unit.empty() ? std::string("items") : r.verdict.unit) + " to the test set. ";
  if (const std::string first = calibrator_of(r); !first.empty())
    return {
        add +
            "With the calibrated probabilities in a file, plumb stability shows how the estimate settles as the set grows:",
        applied(r, first),
        {Claim::advise_items}};
  return {add + "How the estimate settles as the set grows:",
          with_data(r, "stability", {}),
          {Claim::advise_items}};
}

NextStep after_trustworthy(const Result& r) {
  const auto accuracy = value_of(r.metrics, "accuracy");
  if (r.task == "regression" || !accuracy || *accuracy >= 1) return {};
  if (const std::string first = calibrator_of(r); !first.empty())
    return {
        "Write the calibrated probabilities to a file; plumb uncertainty then shows the confident wrong answers:",
        applied(r, first),
        {Claim::advise_suspects}};
  return {"Look at the confident wrong answers and at the items to defer to a person:",
          with_data(r, "uncertainty", {flag("suspects") + " 20"}),
          {Claim::advise_suspects}};
}

NextStep after_evaluate(const Result& r) {
  const std::string& verdict = r.verdict.verdict;
  if (verdict == "off") return after_off(r);
  if (verdict == "cannot tell") return after_cannot_tell(r);
  if (verdict == "trustworthy") return after_trustworthy(r);
  if (setting<std::int64_t>(r, "bootstrap", 0) > 0 || r.items <= 1) return {};
  return {
      "Get intervals and a verdict:", same_command_with(r, "bootstrap", "200"), {Claim::advise_replicates}};
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
