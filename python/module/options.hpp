// Options from Python's keywords. Only those that were given: the defaults are the core's.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/calibrate/fit.hpp"
#include "plumb/calibrate/multigroup.hpp"
#include "plumb/calibrate/regression/fit.hpp"
#include "plumb/calibrate/sets.hpp"
#include "plumb/evaluate/audit.hpp"
#include "plumb/evaluate/cases.hpp"
#include "plumb/evaluate/evaluate.hpp"
#include "plumb/evaluate/sets.hpp"
#include "plumb/evaluate/stability.hpp"
#include "plumb/raters/raters.hpp"
#include "plumb/regression/evaluate.hpp"
#include "plumb/regression/quantiles.hpp"
#include "plumb/uncertainty/uncertainty.hpp"

namespace plumb::python {

namespace nb = nanobind;

/// Reads {keyword: value}; TypeError for a value of another kind, ValueError for one that is out of range.
class Keywords {
 public:
  explicit Keywords(nb::dict given) : given_(std::move(given)) {}
  void read(const char* name, int& out) const;
  void read(const char* name, std::int64_t& out) const;
  void read(const char* name, double& out) const;
  void read(const char* name, bool& out) const;
  void read(const char* name, std::uint64_t& out) const;  ///< a seed
  void read(const char* name, std::string& out) const;
  void read(const char* name, std::vector<std::string>& out) const;  ///< one text or several
  void read(const char* name, std::vector<double>& out) const;
  void read(const char* name, std::vector<int>& out) const;
  void read(const char* name, std::optional<int>& out) const;
  void read(const char* name, std::optional<std::int64_t>& out) const;
  void read(const char* name, std::optional<double>& out) const;
  [[nodiscard]] bool is_text(const char* name) const;
  [[nodiscard]] bool given(const char* name) const;  ///< and not None
  template <class E>
  void choice(const char* name, std::initializer_list<std::pair<const char*, E>> words, E& out) const {
    std::string text, known;
    read(name, text);
    if (text.empty()) return;
    for (const auto& [word, value] : words) {
      if (text == word) {
        out = value;
        return;
      }
      known += (known.empty() ? "" : ", ") + std::string(word);
    }
    refuse(name, known, text);
  }

 private:
  [[noreturn]] static void refuse(const char* name, const std::string& known, const std::string& text);
  /// None where it is not given.
  [[nodiscard]] nb::object value(const char* name) const;

  nb::dict given_;
};

[[nodiscard]] EvaluateOptions evaluate_options(const Keywords& given);
[[nodiscard]] RegressionOptions regression_options(const Keywords& given);
[[nodiscard]] AuditOptions audit_options(const Keywords& given);
[[nodiscard]] RatersOptions raters_options(const Keywords& given);
[[nodiscard]] QuantileOptions quantile_options(const Keywords& given);
[[nodiscard]] SetsOptions sets_options(const Keywords& given);
/// Of a fit of sets; by slice if there are slices.
[[nodiscard]] SetOptions set_options(const Keywords& given);
[[nodiscard]] MultigroupOptions multigroup_options(const Keywords& given);
[[nodiscard]] UncertaintyOptions uncertainty_options(const Keywords& given);
/// Without the single label, which needs the votes.
[[nodiscard]] StabilityOptions stability_options(const Keywords& given);
[[nodiscard]] FitOptions fit_options(const Keywords& given);
[[nodiscard]] RegressionFitOptions regression_fit_options(const Keywords& given);

}  // namespace plumb::python
