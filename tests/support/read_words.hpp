// Reads Plumb's sentences about a result as a person would, from the sentences alone, and looks for
// statements that cannot all be true: numbers against the words beside them, sentences against the verdict,
// plots against both. It shares no code with the report.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <regex>
#include <string>
#include <vector>

namespace plumb::test {

struct Shown {
  std::string verdict;             ///< "Off: the ECE is about ..."
  std::vector<std::string> words;  ///< the section "In words"
  std::string next;                ///< why the next command is run; empty: none
  std::string diagram;             ///< sentence of the reliability diagram; empty: there is none
  std::vector<std::string> plots;  ///< sentences of the other plots
  std::string headline;            ///< "off", ...: the colour of the page's headline; empty: no page
  double level = 0.95;
  std::int64_t units = 0;  ///< items or groups
};

class WordsReader {
 public:
  explicit WordsReader(const Shown& shown) : shown_(shown) {
    verdict();
    for (const std::string& s : shown.words) sentence(s);
    for (const std::string& s : shown.plots) plot(s);
    diagram();
    next();
    for (const std::string& s : everything()) whole(s);
  }
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  using Match = std::smatch;
  static double number(const Match& m, int i) { return std::strtod(m[i].str().c_str(), nullptr); }
  void fault(const std::string& what, const std::string& s) { faults_.push_back(what + " | " + s); }
  void expect(bool holds, const std::string& what, const std::string& s) {
    if (!holds) fault(what, s);
  }
  static bool has(const std::string& s, const char* part) { return s.find(part) != std::string::npos; }
  [[nodiscard]] bool said(const char* part) const {
    for (const std::string& s : shown_.words)
      if (has(s, part)) return true;
    return false;
  }
  [[nodiscard]] std::vector<std::string> everything() const {
    std::vector<std::string> all = shown_.words;
    all.push_back(shown_.verdict);
    all.insert(all.end(), shown_.plots.begin(), shown_.plots.end());
    all.push_back(shown_.diagram);
    return all;
  }

  [[nodiscard]] bool trusted() const { return shown_.verdict.starts_with("Trustworthy"); }
  [[nodiscard]] bool off() const {
    return shown_.verdict.starts_with("Off") || shown_.verdict.starts_with("Clearly off");
  }
  [[nodiscard]] bool undecided() const { return shown_.verdict.starts_with("Cannot tell"); }

  /// Nothing unfinished, and every interval in order and around its value.
  void whole(const std::string& s) {
    static const std::regex around(
        R"((?:about|slope is|contain) ([0-9.e+-]+)%?(?: of the targets)? \([0-9.]+% interval ([0-9.e+-]+)%? to ([0-9.e+-]+)%?\))");
    for (const char* bad : {"nan", "inf ", "-inf", "?", ": .", "  ", "⟦", "of -", "is -0.0%"})
      expect(!has(s, bad), std::string("\"") + bad + "\"", s);
    Match m;
    if (std::regex_search(s, m, around)) {
      expect(number(m, 2) <= number(m, 3), "an interval is reversed", s);
      const double slack = has(s, "contain") ? 0.5 : 0;  // of whole percents
      expect(number(m, 2) <= number(m, 1) + slack && number(m, 1) <= number(m, 3) + slack,
             "a value outside its interval", s);
    }
  }

  void verdict() {
    const std::string& v = shown_.verdict;
    static const std::regex below(
        R"((?:at most|within a factor of) ([0-9.e+-]+) .*below the tolerance of ([0-9.e+-]+))"),
        above(R"((?:about|as large as) ([0-9.e+-]+).*, above the tolerance of ([0-9.e+-]+))"),
        chance(R"(more than chance explains \(p (?:=|<=) ([0-9.e+-]+)\))"),
        needed(R"(about ([0-9,]+) (?:items|groups) would settle)");
    Match m;
    if (trusted())
      expect(std::regex_search(v, m, below) && number(m, 1) < number(m, 2), "trust above the tolerance", v);
    if (off())
      expect(std::regex_search(v, m, above) && number(m, 1) > number(m, 2), "off below the tolerance", v);
    if (has(v, "as large as"))
      expect(std::regex_search(v, m, above) && number(m, 1) > number(m, 2), "\"above\" is not above", v);
    if (std::regex_search(v, m, chance))
      expect(number(m, 1) <= (1 - shown_.level) * 1.005, "\"more than chance explains\" with a large p-value",
             v);
    if (std::regex_search(v, m, needed)) {
      std::string digits = m[1].str();
      std::erase(digits, ',');
      expect(std::strtod(digits.c_str(), nullptr) > static_cast<double>(shown_.units),
             "needs no more than there is", v);
      expect(undecided(), "a size that would settle what is settled", v);
    }
    if (has(v, "could show that by chance"))
      for (const std::string& s : shown_.words)
        expect(!has(s, "too high on") && !has(s, "too low on") && !has(s, "confident on average") &&
                   !has(s, "too extreme") && !has(s, "not extreme enough"),
               "a fault is claimed that the verdict puts down to chance", s);
    if (!shown_.headline.empty())
      expect(shown_.headline == (trusted()     ? "trustworthy"
                                 : off()       ? "off"
                                 : undecided() ? "cannot tell"
                                               : "none"),
             "the page's headline is another one", shown_.headline + " " + v);
  }

  void sentence(const std::string& s) {
    static const std::regex means(R"( is ([0-9.e+-]+)%, and (?:the accuracy is )?([0-9.e+-]+)%)"),
        interval(R"(% interval ([0-9.e+-]+) to ([0-9.e+-]+))"), p(R"(difference \(p (=|<=) ([0-9.e+-]+)\))");
    Match m;
    const bool high = has(s, "too high on average") || has(s, "over-confident on average"),
               low = has(s, "too low on average") || has(s, "under-confident on average"),
               extreme = has(s, "too extreme"), timid = has(s, "not extreme enough"),
               small = has(s, "variances are too small"), large = has(s, "variances are too large");
    if (high || low)
      expect(std::regex_search(s, m, means) &&
                 (high ? number(m, 1) > number(m, 2) : number(m, 1) < number(m, 2)),
             "the numbers do not show it", s);
    if (extreme || timid)
      expect(std::regex_search(s, m, interval) && (extreme ? number(m, 2) < 1 : number(m, 1) > 1),
             "1 is in the interval", s);
    if (small || large)
      expect(std::regex_search(s, m, interval) && number(m, 1) > 1, "1 is in the interval", s);
    if (std::regex_search(s, m, p))
      expect(has(s, "chance may explain") == (number(m, 2) > (1 - shown_.level) * 0.995),
             "the p-value says the contrary", s);
    if (high || low || extreme || timid || small || large)
      expect(has(s, "within the tolerance") == trusted(), "a fault that the verdict knows nothing of", s);
    const bool too_small = has(shown_.verdict, "deviations are too small"),
               too_large = has(shown_.verdict, "deviations are too large");
    expect(!(small && too_large) && !(large && too_small), "the verdict has the other direction", s);
    if (has(s, "of guessing")) expect(!trusted(), "trusted, and worse than guessing", s);
  }

  void plot(const std::string& s) {
    static const std::regex observed(R"(the observed one is [^ ]+, ([0-9.e+-]+) times as large)"),
        contain(R"(intervals(?: of .*)? contain ([0-9.]+)%)"),
        slice(R"(The (.*) is worst for .* \(([0-9.e+-]+)\); for the best slice it is ([0-9.e+-]+))");
    Match m;
    if (std::regex_search(s, m, observed)) {
      const double ratio = number(m, 1);
      const bool explained = said("mainly where the variance is small");
      if (said("variances are too small"))
        expect(ratio >= 1 || explained, "too small, and errors are smaller", s);
      if (said("variances are too large"))
        expect(ratio <= 1 || explained, "too large, and errors are larger", s);
    }
    if (std::regex_search(s, m, contain)) {
      static const std::regex own(R"(The 90% intervals contain ([0-9.]+)% of the targets)");
      const double here = number(m, 1);
      for (const std::string& w : shown_.words)
        if (Match n; std::regex_search(w, n, own))
          expect(std::abs(number(n, 1) - here) <= 0.51, "another coverage than in words", s);
    }
    if (std::regex_search(s, m, slice)) {
      const bool lower = !has(m[1].str(), "accuracy") && !has(m[1].str(), "ranking");
      expect(lower ? number(m, 2) >= number(m, 3) : number(m, 2) <= number(m, 3),
             "the best slice is the worst", s);
    }
  }

  void diagram() {
    if (shown_.diagram.empty()) return;
    bool found = false;
    for (const std::string& s : shown_.words) found |= s == shown_.diagram;
    expect(found, "the diagram's sentence is none of the words", shown_.diagram);
  }

  void next() {
    const std::string& s = shown_.next;
    if (has(s, "Fit a calibrator") || has(s, "Fit another") || has(s, "Calibrate the variances"))
      expect(off() && !said("of guessing"), "a repair that the verdict does not ask for", s);
    if (has(s, "Add ")) expect(undecided() && shown_.units > 1, "more items, though it is settled", s);
    if (has(s, "confident wrong answers")) expect(trusted(), "single answers before the model is trusted", s);
    if (has(s, "enough replicates") || has(s, "a level that"))
      expect(has(shown_.verdict, "cannot reach"), "replicates that are not missing", s);
    else
      expect(s.empty() || !has(shown_.verdict, "cannot reach"), "replicates are missing, and it is not said",
             s);
    if (has(s, "order of the columns"))
      expect(said("of guessing"), "an order that nothing is said against", s);
  }

  const Shown& shown_;
  std::vector<std::string> faults_;
};

[[nodiscard]] inline std::vector<std::string> text_contradictions(const Shown& shown) {
  return WordsReader(shown).faults();
}

}  // namespace plumb::test
