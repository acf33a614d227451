#include "plumb/io/case_arrays.hpp"

#include <algorithm>
#include <set>

#include "plumb/data/check.hpp"
#include "plumb/io/volume.hpp"

namespace plumb {
namespace {

void check_axes(const std::string& axes) {
  const bool letters = std::all_of(axes.begin(), axes.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!letters || std::set<char>(axes.begin(), axes.end()).size() != axes.size())
    throw InputError("⟦axes⟧ takes a different capital letter for each axis, for example NHWK, not \"" +
                     axes + "\"");
  if (axes.find_first_not_of("NK") == std::string::npos)
    throw InputError("⟦axes⟧ " + axes +
                     " names no axis of an image; N are the cases, K the classes, for example NHWK");
}

std::int64_t remove_axis(Array& a, std::size_t axis) {
  const std::int64_t stride = a.strides[axis];
  const auto at = static_cast<std::ptrdiff_t>(axis);
  a.shape.erase(a.shape.begin() + at);
  a.strides.erase(a.strides.begin() + at);
  return stride;
}

}  // namespace

CaseArrays::CaseArrays(const std::string& axes, const Source& probs, const std::vector<Source>& masks,
                       int threads)
    : axes_(axes), given_(axes) {
  check_axes(axes);
  probs_ = load_volume(probs, threads).array;
  shape_ = probs_.shape;
  const auto misfit = [](const Array& a, const std::string& why) {
    return InputError(a.name + " is " + show_shape(a.shape) + ", " + why);
  };
  if (probs_.shape.size() != axes.size())
    throw misfit(probs_, "and ⟦axes⟧ " + axes + " names " + std::to_string(axes.size()) + " axes");
  if (const std::size_t k = axes.find('K'); k != std::string::npos) {
    has_classes_ = true;
    const std::int64_t classes = probs_.shape[k], stride = remove_axis(probs_, k);
    probs_.shape.push_back(classes);
    probs_.strides.push_back(stride);
    axes_.erase(k, 1);
  }
  std::vector<std::int64_t> image = probs_.shape;
  if (has_classes_) image.pop_back();
  for (const Source& source : masks) {
    masks_.push_back(load_volume(source, threads).array);
    raters_.push_back("rater_" + std::to_string(masks_.size()));
    if (masks_.back().shape != image)
      throw misfit(masks_.back(), "and the axes " + axes_ + " of " + probs_.name + " are " +
                                      show_shape(image) + "; give an array of this shape for each rater");
  }
  if (const std::size_t n = axes_.find('N'); n != std::string::npos) cases_ = image[n];
  if (cases_ == 0) throw misfit(probs_, "so it has no cases");
}

CaseItems CaseArrays::read(std::int64_t i, const CaseFileOptions& o) const {
  std::vector<Volume> volumes{{probs_, std::nullopt}};
  for (const Array& mask : masks_) volumes.push_back({mask, std::nullopt});
  const std::size_t n = axes_.find('N');
  for (Volume& v : volumes)
    if (n != std::string::npos) v.array.data += i * remove_axis(v.array, n);
  CaseFileOptions options = o;
  options.class_axis = has_classes_ ? ClassAxis::last : ClassAxis::by_shape;
  return case_items(std::move(volumes), raters_, o.full, options);
}

CaseArrays::Place CaseArrays::place(std::int64_t i) const {
  Place out;
  std::int64_t stride = 1;
  for (std::size_t k = given_.size(); k-- > 0;) {
    if (given_[k] == 'N') {
      out.first = i * stride;
    } else if (given_[k] == 'K') {
      out.classes = stride;
    } else {
      out.shape.insert(out.shape.begin(), shape_[k]);
      out.strides.insert(out.strides.begin(), stride);
    }
    stride *= shape_[k];
  }
  return out;
}

CasePredictions CaseArrays::predictions(std::int64_t i, const CaseFileOptions& o) const {
  Volume v{probs_, std::nullopt};
  if (const std::size_t n = axes_.find('N'); n != std::string::npos)
    v.array.data += i * remove_axis(v.array, n);
  const auto last = v.array.shape.size() - 1;
  return case_predictions(v, has_classes_ ? std::optional(last) : std::nullopt, o.full, o);
}

}  // namespace plumb
