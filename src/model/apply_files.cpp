#include "plumb/model/apply_files.hpp"

#include <optional>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"

namespace plumb {
namespace {

using Shape = std::vector<std::int64_t>;

/// A .npy of float64 that grows by blocks; without a path it takes nothing.
class NpyFile {
 public:
  NpyFile(const std::string& path, const Shape& shape) {
    if (!path.empty()) file_.emplace(path).write(npy_header(DType::f64, shape));
  }
  void write(std::span<const double> values) {
    if (file_) file_->write(std::as_bytes(values));
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::optional<AtomicFile> file_;
};

/// A column for each bound, a line for each item.
class CsvFile {
 public:
  CsvFile(const std::string& path, const std::vector<double>& levels, std::int64_t outputs)
      : file_(path), columns_(2 * std::ssize(levels) * outputs) {
    std::string header;
    for (std::int64_t j = 0; j < outputs; ++j)
      for (const double level : levels) {
        const std::string end = show(level) + (outputs > 1 ? "_output" + std::to_string(j) : "");
        header += (header.empty() ? "low_" : ",low_") + end + ",high_" + end;
      }
    file_.write(header + "\n");
  }
  void write(std::span<const double> bounds) {
    std::string text;
    for (std::int64_t k = 0; k < std::ssize(bounds); ++k)
      text += show(bounds[k]) + ((k + 1) % columns_ == 0 ? "\n" : ",");
    file_.write(text);
  }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
  std::int64_t columns_;
};

}  // namespace

void apply_to_files(const CalibrationModel& model, const Predictions& predictions, ApplyOptions options,
                    const ApplyFiles& files) {
  const Shape column{predictions.items()};
  NpyFile probabilities(files.probabilities, calibrated_shape(predictions)),
      concentration(files.concentration, column), disagreement(files.disagreement, column);
  options.disagreement = !files.disagreement.empty();
  apply_model(model, predictions, options, [&](const CalibratedChunk& chunk) {
    probabilities.write(chunk.probabilities);
    concentration.write(chunk.concentration);
    disagreement.write(chunk.disagreement);
  });
  for (NpyFile* file : {&probabilities, &concentration, &disagreement}) file->commit();
}

void apply_to_files(const CalibrationModel& model, const RegressionItems& items,
                    const std::vector<double>& levels, const RegressionFiles& files) {
  const std::int64_t n = items.size(), d = items.outputs();
  const bool flat = d == 1 && (items.mean.empty() || items.mean.front().rank() == 1);
  const bool csv = files.intervals.ends_with(".csv");
  Shape shape = flat ? Shape{n} : Shape{n, d};
  NpyFile variances(files.variances, shape);
  shape.insert(shape.end(), {std::ssize(levels), 2});
  NpyFile bounds(csv ? "" : files.intervals, shape);
  std::optional<CsvFile> table;
  if (csv) table.emplace(files.intervals, levels, d);
  RegressionApplyOptions options{!files.variances.empty(), {}};
  if (!files.intervals.empty()) options.levels = levels;
  apply_model(model, items, options, [&](const CalibratedVariances& block) {
    variances.write(block.variance);
    bounds.write(block.bounds);
    if (table) table->write(block.bounds);
  });
  variances.commit();
  bounds.commit();
  if (table) table->commit();
}

}  // namespace plumb
