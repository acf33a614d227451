// What a file contains and which options could take it: `plumb describe FILE`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb {

/// An option that could take an array, and the fact that suggests it.
struct ArrayUse {
  std::string option;  ///< "probs", "sample_logits"
  std::string why;     ///< "rows sum to 1"
};

struct ArrayInfo {
  std::string name;  ///< as a flag takes it: "data.npz:probs", "votes.csv:a,b"
  std::string path;
  std::string member;  ///< the array of an .npz, the columns of a CSV; "" for a .npy
  std::vector<std::int64_t> shape;
  DType dtype = DType::f64;
  bool fortran = false, swapped = false;
  bool integers = false;  ///< every value is a whole number
  bool has_nan = false, has_infinite = false;
  bool rows_sum_to_one = false;  ///< within 1e-3, along the last axis
  std::int64_t missing = 0;      ///< empty values of a CSV column
  double min = 0;                ///< of the finite values; 0 without any
  double max = 0;
  std::int64_t finite = 0;  ///< how many values are finite
  /// text: its values in the order of appearance when there are at most 20, otherwise none
  std::vector<std::string> distinct;
  std::vector<ArrayUse> uses;
  std::string problem;  ///< why it cannot be read; the facts above are then unknown
};

/// Arrays of an .npy or .npz; columns of a CSV, then those groups of columns with a common prefix
/// that have a use.
[[nodiscard]] std::vector<ArrayInfo> describe_file(const std::string& path, int threads = 0);

}  // namespace plumb
