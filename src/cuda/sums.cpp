#include "plumb/cuda/sums.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "cuda/layout.hpp"
#include "cuda/plugin_calls.hpp"
#include "cuda/words.hpp"
#include "data/shared/complaints.hpp"
#include "plumb/data/check.hpp"
#include "plumb/numeric/narrow.hpp"

namespace plumb::cuda {
namespace {

std::int32_t probs_type(const DeviceArray& a) {
  if (a.dtype == DType::f32) return PLUMB_CUDA_FLOAT;
  if (a.dtype == DType::f64) return PLUMB_CUDA_DOUBLE;
  throw InputError(a.name + " is " + dtype_name(a.dtype) +
                   "; probabilities on a CUDA device must be float32 or float64");
}
std::int32_t labels_type(const DeviceArray& a) {
  switch (a.dtype) {
    case DType::u8:
    case DType::i8:
      return PLUMB_CUDA_BYTE;
    case DType::i32:
    case DType::u32:
      return PLUMB_CUDA_INT;
    case DType::i64:
    case DType::u64:
      return PLUMB_CUDA_LONG;
    default:
      throw InputError(a.name + " is " + dtype_name(a.dtype) +
                       "; labels on a CUDA device must be integers of 8, 32 or 64 bits");
  }
}

/// One row as if it stood at its place among all rows: the words for a bad value name it.
Rows row_alone(const std::vector<double>& values, std::int64_t rows, const std::string& name) {
  Array a;
  a.shape = {rows, std::ssize(values)};
  a.strides = {0, static_cast<std::int64_t>(sizeof(double))};
  if (values.size() == 1) {
    a.shape.pop_back();
    a.strides.pop_back();
  }
  a.data = reinterpret_cast<const std::byte*>(values.data());
  a.name = name;
  return Rows(std::move(a));
}

/// Blocks of the CPU's pass, whose first invalid one is reported: its predictions, then its labels.
std::int64_t block_of(std::int64_t row, const Rows& probs) {
  Items items;
  items.predictions = Predictions({probs}, Scale::probability);
  return row / block_rows(items);
}

}  // namespace

struct DeviceSums::Words {
  std::vector<std::uint64_t> words;
  PlumbCudaBad bad{};
  std::vector<double> row;

  /// Throws for the first invalid value, if there is one; `labels`: all of them, if they are at hand.
  void check(const DeviceSums& sums, const Rows* labels) const {
    if (bad.row < 0 && bad.label_row < 0) return;
    const Rows probs = row_alone(row, sums.rows_, sums.probs_name_);
    if (bad.row >= 0 && (bad.label_row < 0 || block_of(bad.row, probs) <= block_of(bad.label_row, probs)))
      plumb::detail::refuse_probabilities(probs, bad.row, bad.row + 1, false);
    const std::vector<double> label{bad.label};
    plumb::detail::refuse_labels(
        labels != nullptr ? *labels : row_alone(label, sums.rows_, sums.labels_name_), bad.label_row,
        bad.label_row + 1, sums.classes_);
  }
};

DeviceSums::DeviceSums(int classes, int bins, Products products, int device)
    : classes_(classes), bins_(bins), products_(products) {
  check_bins(bins);
  const PlumbCudaPlan plan{device, classes, bins, products.log_loss ? 1 : 0, products.by_class ? 1 : 0};
  void* sums = nullptr;
  call(plugin().create, &plan, &sums);
  sums_ = std::shared_ptr<void>(sums, plugin().drop);
}

void DeviceSums::add(const DeviceItems& items) {
  const DeviceArray& p = items.probs;
  if (p.shape.empty() || p.shape.size() > 2)
    throw InputError(p.name + " is " + show_shape(p.shape) + "; predictions are N or N x K");
  if (items.labels.shape.size() != 1)
    throw InputError(items.labels.name + " is " + show_shape(items.labels.shape) +
                     "; labels must be one number per item");
  check_same_rows(p.name, p.shape[0], items.labels.name, items.labels.shape[0]);
  const PlumbCudaRows rows{p.data,
                           items.labels.data,
                           probs_type(p),
                           labels_type(items.labels),
                           p.shape[0],
                           p.shape.size() == 1 ? 1 : p.shape[1],
                           0,
                           items.stream};
  call(plugin().add, sums_.get(), &rows);
  probs_name_ = p.name;
  labels_name_ = items.labels.name;
  rows_ += p.shape[0];
}

void DeviceSums::add_host(const void* probs, DType probs_dtype, const void* labels, DType labels_dtype,
                          std::int64_t n, std::int64_t columns) {
  const DeviceArray p{probs_dtype, probs, {n, columns}, probs_name_};
  const DeviceArray y{labels_dtype, labels, {n}, labels_name_};
  const PlumbCudaRows rows{probs, labels, probs_type(p), labels_type(y), n, columns, 1, nullptr};
  call(plugin().add, sums_.get(), &rows);
  rows_ += n;
}

void DeviceSums::add(const Items& items) {
  const Rows& probs = items.predictions.sources().at(0);
  const Rows& labels = items.votes.rows();
  probs_name_ = probs.name();
  labels_name_ = labels.name();
  const std::int64_t columns = probs.width();
  const std::int64_t step = std::max<std::int64_t>(1, (std::int64_t{1} << 23) / columns);
  std::vector<double> p, y;
  std::vector<std::int64_t> whole;
  for (std::int64_t begin = 0; begin < items.size(); begin += step) {
    const std::int64_t end = std::min(begin + step, items.size()), n = end - begin;
    const void* values = probs.contiguous<float>(begin, end);
    const DType type = values != nullptr ? DType::f32 : DType::f64;
    if (values == nullptr) values = probs.contiguous<double>(begin, end);
    if (values == nullptr) {
      p.resize(n * columns);
      probs.read(begin, end, p);
      values = p.data();
    }
    if (const auto* u8 = labels.contiguous<std::uint8_t>(begin, end)) {
      add_host(values, type, u8, DType::u8, n, columns);
    } else if (const auto* i32 = labels.contiguous<std::int32_t>(begin, end)) {
      add_host(values, type, i32, DType::i32, n, columns);
    } else if (const auto* i64 = labels.contiguous<std::int64_t>(begin, end)) {
      add_host(values, type, i64, DType::i64, n, columns);
    } else {  // anything else, as class indices; what is none becomes -1
      y.resize(n);
      labels.read(begin, end, y);
      whole.resize(n);
      std::transform(y.begin(), y.end(), whole.begin(), [this](double x) {
        const bool inside = x >= 0 && x < classes_;
        const auto k = static_cast<std::int64_t>(inside ? x : -1);
        return static_cast<double>(k) == x ? k : std::int64_t{-1};
      });
      add_host(values, type, whole.data(), DType::i64, n, columns);
    }
  }
}

DeviceSums::Words DeviceSums::words() const {
  Words out;
  out.words.resize(word_of(table_count(classes_, products_.by_class), bins_, 0));
  std::vector<double> row(classes_);
  call(plugin().read, sums_.get(), out.words.data(), std::ssize(out.words), &out.bad, row.data(),
       std::int64_t{classes_});
  if (classes_ == 2 && out.bad.columns == 1) row.resize(1);
  out.row = std::move(row);
  return out;
}

StreamSums DeviceSums::read() const {
  const Words all = words();
  all.check(*this, nullptr);
  return sums_of_words(all.words, classes_, bins_, products_);
}

namespace {

void check_device_options(const EvaluateOptions& o) {
  const auto refuse = [](const char* what) {
    throw InputError(std::string(what) + " is not computed on a CUDA device; leave the device out");
  };
  check_bins(o.bins);
  if (o.binning == Binning::mass) refuse("⟦binning⟧ mass");
  if (o.bootstrap > 0) refuse("⟦bootstrap⟧");
  if (o.clip > 0) refuse("⟦clip⟧");
  if (o.bandwidth > 0) refuse("⟦bandwidth⟧");
  if (!o.thresholds.empty()) refuse("⟦thresholds⟧");
}

EvaluateState state_of(StreamSums sums, std::int64_t rows, int classes, const EvaluateOptions& o) {
  EvaluateState s;
  s.ties = static_cast<std::int32_t>(o.ties);
  s.classes = classes;
  s.items = narrow<std::uint64_t>(rows);
  s.bins = o.bins;
  s.most_votes = rows > 0 ? 1 : 0;
  s.consensus = sums;  // the majority is the label
  s.votes = std::move(sums);
  return s;
}

}  // namespace

EvaluateState evaluate_state(const DeviceItems& items, const EvaluateOptions& options, int device) {
  check_device_options(options);
  const std::vector<std::int64_t>& shape = items.probs.shape;
  const int classes = shape.size() < 2 || shape[1] == 1 ? 2 : narrow<int>(shape[1]);
  DeviceSums sums(classes, options.bins, {}, device);
  sums.add(items);
  const DeviceSums::Words all = sums.words();
  if (all.bad.label_row >= 0) {  // the advice for a bad label depends on all labels
    const DeviceArray& on_device = items.labels;
    std::vector<std::byte> bytes(on_device.shape[0] * dtype_size(on_device.dtype));
    call(plugin().copy, device, static_cast<void*>(bytes.data()), on_device.data, std::ssize(bytes));
    Array labels;
    labels.dtype = on_device.dtype;
    labels.shape = on_device.shape;
    labels.strides = {dtype_size(on_device.dtype)};
    labels.data = bytes.data();
    labels.name = on_device.name;
    const Rows rows(labels);
    all.check(sums, &rows);
  }
  all.check(sums, nullptr);
  return state_of(sums_of_words(all.words, classes, options.bins, {}), sums.rows(), classes, options);
}

EvaluateState evaluate_state(const Items& items, const EvaluateOptions& options, int device) {
  check_device_options(options);
  check_items(items);
  const auto refuse = [](const std::string& what) { throw InputError(what + "; leave the CUDA device out"); };
  if (items.predictions.samples() > 1) refuse("several predictions per item are not read on a CUDA device");
  if (items.predictions.scale() == Scale::logit) refuse("logits are not read on a CUDA device");
  if (items.predictions.normalizes()) refuse("⟦normalize⟧ is not computed on a CUDA device");
  if (items.votes.kind() != Votes::Kind::labels || items.votes.rows().empty())
    refuse("a CUDA device takes one label per item");
  if (!items.weights.empty()) refuse("weights are not read on a CUDA device");
  if (!items.truth.empty()) refuse("true probabilities are not read on a CUDA device");
  if (!items.concentration.empty()) refuse("concentrations are not read on a CUDA device");
  if (!items.by.empty()) refuse("slices are not computed on a CUDA device");
  DeviceSums sums(items.classes(), options.bins, {}, device);
  sums.add(items);
  const DeviceSums::Words all = sums.words();
  if (all.bad.row >= 0 || all.bad.label_row >= 0) {  // the CPU's pass over that block says it
    const std::int64_t rows = block_rows(items);
    std::int64_t block = items.size();
    for (const std::int64_t row : {all.bad.row, all.bad.label_row})
      if (row >= 0) block = std::min(block, row / rows);
    ItemBlock ignored;
    read_items(items, block * rows, std::min((block + 1) * rows, items.size()), ignored);
    all.check(sums, &items.votes.rows());
  }
  EvaluateState state = state_of(sums_of_words(all.words, items.classes(), options.bins, {}), sums.rows(),
                                 items.classes(), options);
  state.class_names = items.class_names;
  return state;
}

}  // namespace plumb::cuda
