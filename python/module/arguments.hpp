// Python arguments as the front door takes them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <utility>
#include <vector>

#include "plumb/api/data.hpp"
#include "plumb/api/items.hpp"
#include "plumb/api/regression.hpp"
#include "plumb/result.hpp"

namespace plumb::python {

namespace nb = nanobind;

/// What a column of a table or an Arrow array may hold.
enum class Holds { numbers, classes, names };

/// Arrays by argument name. Numbers stay where they lie; the object must outlive what is made of them, and
/// holds on to what had to be converted.
class Arguments {
 public:
  Arguments() = default;
  explicit Arguments(nb::dict given) : given_(std::move(given)) {}

  /// Not given for None. ValueError or TypeError names the argument.
  [[nodiscard]] Data data(const char* name, Holds holds = Holds::numbers);
  [[nodiscard]] Data data(const std::string& name, nb::handle value, Holds holds = Holds::numbers);
  /// The array itself, of any rank.
  [[nodiscard]] Array array(const std::string& name, nb::handle value, Holds holds = Holds::numbers);
  /// {name: array}
  [[nodiscard]] std::vector<std::pair<std::string, Data>> named(const char* name,
                                                                Holds holds = Holds::numbers);
  [[nodiscard]] std::vector<std::string> texts(const char* name);
  [[nodiscard]] nb::object object(const char* name) const;

  /// What was read, for the result.
  [[nodiscard]] const std::vector<InputInfo>& infos() const { return infos_; }
  /// What was done to arrays that the user should know: "probs was copied from cuda:0".
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// Numbers read so far: whether the work is long.
  [[nodiscard]] std::int64_t elements() const { return elements_; }

 private:
  [[nodiscard]] Array converted(const std::string& name, nb::handle value);

  nb::dict given_;
  std::vector<nb::ndarray<nb::ro>> arrays_;  // keep what is read in place
  std::vector<InputInfo> infos_;
  std::vector<std::string> notes_;
  std::int64_t elements_ = 0;
};

[[nodiscard]] ItemColumns item_columns(Arguments& arguments);
[[nodiscard]] RegressionColumns regression_columns(Arguments& arguments);

}  // namespace plumb::python
