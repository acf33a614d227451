// Cases that lie in one array each of probabilities and of every rater's masks, with named axes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plumb/io/case_files.hpp"

namespace plumb {

class CaseArrays {
 public:
  /// `axes`: a letter for each axis of the probabilities, for example NHWK. N are the cases (without it there
  /// is one), K the classes (without it the numbers are probabilities of the foreground), all others belong
  /// to the image. Masks have the same axes without K. Throws InputError.
  CaseArrays(const std::string& axes, const Source& probs, const std::vector<Source>& masks, int threads);
  [[nodiscard]] std::int64_t cases() const { return cases_; }
  /// The shape and the class axis of the probabilities as they came.
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  [[nodiscard]] bool has_classes() const { return has_classes_; }
  /// Where the numbers of case i lie in a C-order array of that shape: of its first voxel and class, of each
  /// axis of the image, and of the classes (0 without them).
  struct Place {
    std::int64_t first = 0, classes = 0;
    std::vector<std::int64_t> shape, strides;
  };
  [[nodiscard]] Place place(std::int64_t i) const;
  /// The probabilities alone, voxels in C order.
  [[nodiscard]] CasePredictions predictions(std::int64_t i, const CaseFileOptions& options) const;
  /// Raters are called rater_1, rater_2, ...
  [[nodiscard]] const std::vector<std::string>& raters() const { return raters_; }
  [[nodiscard]] CaseItems read(std::int64_t i, const CaseFileOptions& options) const;

 private:
  Array probs_;  ///< classes last
  std::vector<Array> masks_;
  std::vector<std::string> raters_;
  std::string axes_, given_;         ///< of the masks; of the probabilities as they came
  std::vector<std::int64_t> shape_;  ///< of the probabilities as they came
  bool has_classes_ = false;
  std::int64_t cases_ = 1;
};

}  // namespace plumb
