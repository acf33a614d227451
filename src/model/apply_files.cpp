#include "plumb/model/apply_files.hpp"

#include <initializer_list>
#include <optional>

#include "plumb/data/check.hpp"
#include "plumb/io/table_file.hpp"

namespace plumb {
namespace {

using Shape = std::vector<std::int64_t>;
using ColumnNames = std::vector<std::string>;

/// Without a path it takes nothing.
class OutputFile {
 public:
  OutputFile(const std::string& path, const Shape& shape, const ColumnNames& columns,
             const TableFile::RowName& id = nullptr) {
    if (!path.empty()) file_.emplace(path, shape, columns, id);
  }
  void write(std::span<const double> values) {
    if (file_) file_->write(values);
  }
  void settle() {
    if (file_) file_->settle();
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::optional<TableFile> file_;
};

/// All of them, or on a full disk none.
void commit_all(std::initializer_list<OutputFile*> files) {
  for (OutputFile* file : files) file->settle();
  for (OutputFile* file : files) file->commit();
}

/// A column for each bound.
ColumnNames bound_names(const std::vector<double>& levels, std::int64_t outputs) {
  ColumnNames names;
  for (std::int64_t j = 0; j < outputs; ++j)
    for (const double level : levels) {
      const std::string end = show(level) + (outputs > 1 ? "_output" + std::to_string(j) : "");
      names.push_back("low_" + end);
      names.push_back("high_" + end);
    }
  return names;
}

ColumnNames variance_names(std::int64_t outputs) {
  if (outputs == 1) return {"variance"};
  ColumnNames names;
  for (std::int64_t j = 0; j < outputs; ++j) names.push_back("variance_output" + std::to_string(j));
  return names;
}

}  // namespace

std::vector<std::string> probability_columns(std::int64_t width, const std::vector<std::string>& classes) {
  if (width == 1) return {"p"};
  const bool named = std::ssize(classes) == width;
  ColumnNames names;
  for (std::int64_t k = 0; k < width; ++k) names.push_back("p_" + (named ? classes[k] : std::to_string(k)));
  return names;
}

void apply_to_files(const CalibrationModel& model, const Predictions& predictions, ApplyOptions options,
                    const ApplyFiles& files) {
  const Shape column{predictions.items()};
  const Shape shape = calibrated_shape(predictions);
  OutputFile probabilities(files.probabilities, shape,
                           probability_columns(shape.size() == 1 ? 1 : shape[1], files.classes), files.id),
      concentration(files.concentration, column, {"alpha_0"}, files.id),
      disagreement(files.disagreement, column, {"disagreement"}, files.id);
  options.disagreement = !files.disagreement.empty();
  apply_model(model, predictions, options, [&](const CalibratedChunk& chunk) {
    probabilities.write(chunk.probabilities);
    concentration.write(chunk.concentration);
    disagreement.write(chunk.disagreement);
  });
  commit_all({&probabilities, &concentration, &disagreement});
}

void apply_to_files(const CalibrationModel& model, const RegressionItems& items,
                    const std::vector<double>& levels, const RegressionFiles& files) {
  const std::int64_t n = items.size(), d = items.outputs();
  const bool flat = d == 1 && (items.mean.empty() || items.mean.front().rank() == 1);
  Shape shape = flat ? Shape{n} : Shape{n, d};
  OutputFile variances(files.variances, shape, variance_names(d));
  shape.insert(shape.end(), {std::ssize(levels), 2});
  OutputFile bounds(files.intervals, shape, bound_names(levels, d));
  RegressionApplyOptions options{!files.variances.empty(), {}};
  if (!files.intervals.empty()) options.levels = levels;
  apply_model(model, items, options, [&](const CalibratedVariances& block) {
    variances.write(block.variance);
    bounds.write(block.bounds);
  });
  commit_all({&variances, &bounds});
}

}  // namespace plumb
