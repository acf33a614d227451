// From the files of a case to its items. It is long because every check that needs the grid of voxels is
// here: shapes, affines, labels, sums, and the name of the voxel in a message.
#include "plumb/io/case_files.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <memory>

#include "io/case_background.hpp"
#include "io/case_band.hpp"
#include "plumb/data/check.hpp"
#include "plumb/data/nothing_left.hpp"
#include "plumb/io/case_layout.hpp"
#include "plumb/io/volume.hpp"
#include "plumb/numeric/narrow.hpp"
#include "plumb/numeric/parallel.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kVoxels = 1 << 16;  // taken at a time

using Shape = std::vector<std::int64_t>;

/// How the voxels of a case are counted: all of its files in one order.
struct Grid {
  Shape shape;
  bool first_fastest = false;
  std::int64_t voxels = 1;
  [[nodiscard]] std::string voxel(std::int64_t i) const { return show_voxel(i, shape, first_fastest); }
};

template <class Body>
void each_value(const Array& flat, int threads, Body body) {
  const Rows rows(flat);
  parallel_blocks(rows.rows(), kVoxels, threads, [&](int, std::int64_t begin, std::int64_t end) {
    thread_local std::vector<double> values;
    values.resize((end - begin) * rows.width());
    rows.read(begin, end, values);
    body(begin, std::span<const double>(values));
  });
}

Shape without(Shape shape, std::size_t axis) {
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}

Array slice_at(const Array& a, std::size_t axis, std::int64_t at) {
  Array out = a;
  out.data += at * a.strides[axis];
  out.shape = without(a.shape, axis);
  out.strides = without(a.strides, axis);
  return out;
}

/// The axis of the classes; none for a probability of the foreground.
std::optional<std::size_t> class_axis(const Array& probs, const Array& mask, ClassAxis said) {
  if (probs.shape == mask.shape && said == ClassAxis::by_shape) return std::nullopt;
  const std::string shapes =
      probs.name + " is " + show_shape(probs.shape) + " and " + mask.name + " is " + show_shape(mask.shape);
  const bool more = probs.shape.size() == mask.shape.size() + 1;
  const bool first = more && without(probs.shape, 0) == mask.shape;
  const bool last = more && without(probs.shape, probs.shape.size() - 1) == mask.shape;
  if (first && last && said == ClassAxis::by_shape)
    throw InputError(shapes +
                     ": the classes may be on the first or on the last axis; choose with ⟦class_axis⟧");
  if (first && said != ClassAxis::last) return 0;
  if (last && said != ClassAxis::first) return probs.shape.size() - 1;
  throw InputError(
      shapes +
      (said == ClassAxis::by_shape
           ? "; they must agree, apart from an axis of classes, and Plumb does not resample: bring them to one grid, for example with SimpleITK"
           : ", which does not fit ⟦class_axis⟧ " +
                 std::string(said == ClassAxis::first ? "first" : "last")));
}

/// The same for a case without masks.
std::optional<std::size_t> class_axis_alone(const Array& probs, ClassAxis said, int classes) {
  const std::size_t last_axis = probs.shape.size() - 1;
  if (said != ClassAxis::by_shape) return said == ClassAxis::first ? 0 : last_axis;
  const bool first = probs.shape.front() == classes, last = probs.shape.back() == classes;
  if (classes == 2 && !first && !last) return std::nullopt;
  const std::string shape = probs.name + " is " + show_shape(probs.shape);
  if (classes == 2)
    throw InputError(
        shape +
        ": it may hold one probability per voxel or one for each of two classes, and the case has no mask to decide; give the axis of the classes with ⟦class_axis⟧, or name a mask");
  if (first && last && last_axis > 0)
    throw InputError(shape +
                     ": the classes may be on the first or on the last axis; choose with ⟦class_axis⟧");
  if (!first && !last)
    throw InputError(shape + ", and neither its first nor its last axis has the " + std::to_string(classes) +
                     " classes of the model");
  return first ? 0 : last_axis;
}

void check_place(const Volume& a, const Volume& b) {
  if (!a.affine || !b.affine) return;
  double largest = 0;
  for (std::size_t i = 0; i < a.affine->size(); ++i) {
    const double apart = std::fabs((*a.affine)[i] - (*b.affine)[i]);
    if (!(apart <= largest)) largest = apart;  // NaN stays
    if (std::isnan(largest)) break;
  }
  constexpr double kMillimetres = 1e-3;  // affines are often stored in single precision
  if (!(largest <= kMillimetres))
    throw InputError(b.array.name + " and " + a.array.name +
                     " are not on the same grid: their affines differ by up to " + show(largest) +
                     "; Plumb does not resample: bring them to one grid, for example with SimpleITK");
}

/// The values of masks that stand for the classes: names that are numbers, otherwise 0 .. K-1.
std::vector<double> class_values(const std::vector<std::string>& names, int classes) {
  std::vector<double> out;
  for (const std::string& name : names) {
    double v = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), v);
    if (error == std::errc() && end == name.data() + name.size()) out.push_back(v);
  }
  if (out.size() == names.size() && !out.empty()) return out;
  out.clear();
  for (int k = 0; k < classes; ++k) out.push_back(k);
  return out;
}

[[noreturn]] void refuse_label(const Array& mask, const Grid& grid, std::int64_t i, double v,
                               const std::vector<double>& classes) {
  std::string known = show(classes.front());
  if (classes.size() > 1) known += (classes.size() > 2 ? " ... " : " and ") + show(classes.back());
  throw InputError(mask.name + ", voxel " + grid.voxel(i) + ": the label " + show(v) +
                   " is not a class (the classes are " + known +
                   "); name the values of the classes with ⟦classes⟧ " + show(classes.front()) + "," +
                   show(v) + ", or leave it out with ⟦ignore_label⟧ " + show(v));
}

constexpr int kNoClass = -2;

/// The class that a value of a mask stands for; -1: ignored.
class ClassOfLabel {
 public:
  ClassOfLabel(std::vector<double> values, const std::optional<double>& ignore)
      : values_(std::move(values)), ignore_(ignore) {
    for (int v = 0; v < std::ssize(byte_); ++v) byte_[v] = find(v);
    for (int v = 0; v < std::ssize(byte_) && byte_[v] == v; ++v) plain_ = v + 1;
  }
  [[nodiscard]] int operator()(double v) const {
    const bool is_byte = v >= 0 && v < std::ssize(byte_) && v == std::floor(v);
    return is_byte ? byte_[static_cast<std::size_t>(v)] : find(v);
  }
  [[nodiscard]] int of_byte(std::uint8_t v) const { return byte_[v]; }
  /// Labels below it are classes as they are.
  [[nodiscard]] int plain() const { return plain_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  [[nodiscard]] int find(double v) const {
    if (ignore_ && v == *ignore_) return -1;
    const auto at = std::find(values_.begin(), values_.end(), v);
    return at == values_.end() ? kNoClass : static_cast<int>(at - values_.begin());
  }
  std::vector<double> values_;
  std::optional<double> ignore_;
  std::array<int, 256> byte_{};
  int plain_ = 0;
};

/// The classes of a mask, voxel by voxel.
template <class T>
void read_mask(const Array& mask, const Grid& grid, const ClassOfLabel& class_of, int threads, T* out) {
  const Array flat = flat_voxels(mask, grid.first_fastest);
  const auto put = [&](std::int64_t i, double label, int cls) {
    if (cls == kNoClass) refuse_label(mask, grid, i, label, class_of.values());
    out[i] = static_cast<T>(cls);
  };
  if (flat.dtype != DType::u8 || flat.strides[0] != 1) {
    each_value(flat, threads, [&](std::int64_t begin, std::span<const double> labels) {
      for (std::int64_t i = 0; i < std::ssize(labels); ++i) put(begin + i, labels[i], class_of(labels[i]));
    });
    return;
  }
  const auto* const labels = reinterpret_cast<const std::uint8_t*>(flat.data);
  parallel_blocks(grid.voxels, kVoxels, threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::uint8_t most = 0;
    for (std::int64_t i = begin; i < end; ++i) most = std::max(most, labels[i]);
    if (most < class_of.plain()) {
      std::copy(labels + begin, labels + end, out + begin);
    } else {
      for (std::int64_t i = begin; i < end; ++i) put(i, labels[i], class_of.of_byte(labels[i]));
    }
  });
}

/// Classes by voxel and rater, the column of each rater in one piece; -1 where a rater is to be ignored.
template <class T>
Array ratings_as(const std::vector<Array>& masks, const Grid& grid, const ClassOfLabel& class_of,
                 int threads) {
  const auto raters = std::ssize(masks);
  const std::shared_ptr<T[]> values(new T[grid.voxels * raters]);
  for (std::int64_t r = 0; r < raters; ++r)
    read_mask(masks[r], grid, class_of, threads, values.get() + r * grid.voxels);
  Array out;
  out.dtype = detail::dtype_of<T>();
  out.shape = {grid.voxels, raters};
  out.strides = {sizeof(T), static_cast<std::int64_t>(sizeof(T)) * grid.voxels};
  out.data = reinterpret_cast<const std::byte*>(values.get());
  out.owner = values;
  out.name = masks.front().name;
  return out;
}

Array ratings(const std::vector<Array>& masks, const Grid& grid, int classes, const CaseFileOptions& o) {
  constexpr int kMostInByte = 127;
  const ClassOfLabel class_of(class_values(o.classes, classes), o.ignore);
  return classes <= kMostInByte ? ratings_as<std::int8_t>(masks, grid, class_of, o.threads)
                                : ratings_as<std::int32_t>(masks, grid, class_of, o.threads);
}

/// Whether a column of float32, the usual file, has numbers in [0, 1] only.
bool are_probabilities(const Array& flat, int threads) {
  if (flat.dtype != DType::f32 || flat.swapped || flat.strides[0] != sizeof(float)) return false;
  const auto* const p = reinterpret_cast<const float*>(flat.data);
  std::atomic<bool> good = true;
  parallel_blocks(flat.shape[0], kVoxels, threads, [&](int, std::int64_t begin, std::int64_t end) {
    unsigned bad = 0;
    for (std::int64_t i = begin; i < end; ++i) bad |= static_cast<unsigned>(!(p[i] >= 0 && p[i] <= 1));
    if (bad != 0) good = false;
  });
  return good;
}

/// N, or N x K, in the order of the grid, checked;
/// copied only where memory has another order or the numbers are scaled.
Array probabilities(const Array& probs, std::optional<std::size_t> axis, const Grid& grid, double full,
                    const CaseFileOptions& o) {
  const std::int64_t classes = axis ? probs.shape[*axis] : 1;
  std::vector<Array> parts;
  for (std::int64_t k = 0; k < classes; ++k)
    parts.push_back(flat_voxels(axis ? slice_at(probs, *axis, k) : probs, grid.first_fastest));
  const bool check = o.scale == Scale::probability;
  std::vector<double> copy;
  const bool in_place = full == 1 && classes == 1;
  if (in_place && check && are_probabilities(parts.front(), o.threads)) return parts.front();
  if (!in_place) copy.resize(grid.voxels * classes);
  for (std::int64_t k = 0; k < classes; ++k)
    each_value(parts[k], o.threads, [&](std::int64_t begin, std::span<const double> values) {
      for (std::int64_t i = 0; i < std::ssize(values); ++i) {
        const double p = full == 1 ? values[i] : values[i] / full;
        if (std::isnan(p) || (check && !(p >= 0 && p <= 1)))
          throw InputError(
              probs.name + ", voxel " + grid.voxel(begin + i) + (axis ? ", class " + std::to_string(k) : "") +
              ": " + show(values[i]) +
              (std::isnan(p)
                   ? " is not a number"
                   : " is not a probability; logits go into a column called logits, and scaled integers need ⟦full_scale⟧, for example 255"));
        if (!in_place) copy[(begin + i) * classes + k] = p;
      }
    });
  if (in_place) return parts.front();
  return array_of(std::move(copy), axis ? Shape{grid.voxels, classes} : Shape{grid.voxels}, probs.name);
}

/// Of the voxels that count; all without `rows`. Outside a region the sum may be 0, for example.
void check_sums(const Array& p, const Grid& grid, const std::vector<std::int64_t>* rows,
                const CaseFileOptions& o) {
  if (p.shape.size() < 2 || o.scale != Scale::probability || o.predictions.normalize) return;
  const auto* const values = reinterpret_cast<const double*>(p.data);
  const std::int64_t n = rows == nullptr ? grid.voxels : std::ssize(*rows), classes = p.shape[1];
  parallel_blocks(n, kVoxels, o.threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t voxel = rows == nullptr ? i : (*rows)[i];
      double sum = 0;
      for (std::int64_t k = 0; k < classes; ++k) sum += values[voxel * classes + k];
      if (!(std::fabs(sum - 1) <= kSumTolerance))
        throw InputError(p.name + ", voxel " + grid.voxel(voxel) +
                         ": the probabilities of the classes sum to " + show(std::round(sum * 1e6) / 1e6) +
                         " and not to 1 (within 0.001); rescale them with ⟦normalize⟧");
    }
  });
}

/// The voxels that count.
std::vector<std::int64_t> kept_voxels(const Items& items, const Array* roi, const Grid& grid,
                                      const CaseFileOptions& o) {
  std::vector<char> keep(grid.voxels, 1);
  if (roi != nullptr)
    each_value(
        flat_voxels(*roi, grid.first_fastest), o.threads,
        [&](std::int64_t begin, std::span<const double> values) {
          for (std::int64_t i = 0; i < std::ssize(values); ++i) {
            if (std::isnan(values[i]))
              throw InputError(
                  roi->name + ", voxel " + grid.voxel(begin + i) +
                  ": NaN does not say whether the voxel belongs to the region; write 0 to leave it out, or 1 to keep it");
            if (values[i] == 0) keep[begin + i] = 0;
          }
        });
  if (o.foreground || o.predicted)
    parallel_blocks(grid.voxels, kVoxels, o.threads, [&](int, std::int64_t begin, std::int64_t end) {
      thread_local std::vector<std::int32_t> votes;
      thread_local PredictionBlock z;
      thread_local std::vector<double> top;
      thread_local std::vector<std::uint32_t> label;
      items.votes.read_ratings(begin, end, votes);
      items.predictions.read(begin, end, z);
      top.resize(end - begin);
      label.resize(end - begin);
      top_labels(z, 0, top, label);
      const int raters = items.votes.raters();
      for (std::int64_t i = 0; i < end - begin; ++i) {
        const auto own = std::span(votes).subspan(i * raters, raters);
        if (label[i] == 0 &&
            (o.predicted || std::none_of(own.begin(), own.end(), [](std::int32_t v) { return v > 0; })))
          keep[begin + i] = 0;
      }
    });
  const std::string chosen = o.predicted ? "⟦predicted⟧" : o.foreground ? "⟦foreground⟧" : "";
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < grid.voxels; ++i)
    if (keep[i] != 0) out.push_back(i);
  if (!out.empty()) return out;
  const std::string why =
      std::string("no voxel is left: ") +
      (roi != nullptr ? roi->name + (chosen.empty() ? " leaves" : " and " + chosen + " leave")
                      : chosen + " leaves") +
      " out all of them";
  if (!chosen.empty()) throw NothingLeft(why);
  throw InputError(why);
}

double voxel_volume(const std::optional<Affine>& affine) {
  if (!affine) return 0;
  const Affine& a = *affine;
  return std::fabs(a[0] * (a[5] * a[10] - a[6] * a[9]) - a[1] * (a[4] * a[10] - a[6] * a[8]) +
                   a[2] * (a[4] * a[9] - a[5] * a[8]));
}

/// A PNG file holds shares of its largest number.
double full_scale(const Source& source, const Array& probs, const CaseFileOptions& o) {
  if (o.full != 1 || o.scale == Scale::logit || !source.path.ends_with(".png")) return o.full;
  return probs.dtype == DType::u16 ? 65535 : 255;
}

}  // namespace

CaseItems read_case(const ManifestCase& files, const CaseFileOptions& o) {
  std::vector<Source> sources{files.probs};
  for (const auto& [column, source] : files.raters) sources.push_back(source);
  if (!files.roi.path.empty()) sources.push_back(files.roi);
  std::vector<Volume> volumes(sources.size());
  parallel_blocks(std::ssize(sources), 1, o.threads,
                  [&](int, std::int64_t i, std::int64_t) { volumes[i] = load_volume(sources[i], 1); });
  std::vector<std::string> raters;
  for (const auto& [column, source] : files.raters) raters.push_back(column);
  const double full = full_scale(files.probs, volumes[0].array, o);
  return case_items(std::move(volumes), std::move(raters), full, o);
}

CaseItems case_items(std::vector<Volume> volumes, std::vector<std::string> raters, double full,
                     const CaseFileOptions& o) {
  Volume& probs = volumes[0];
  ClassAxis said = o.class_axis;
  if (said == ClassAxis::nnunet) {
    const bool nifti = volumes[1].affine.has_value();
    probs.array = nnunet_order(probs.array, volumes[1].array, nifti);
    said = nifti ? ClassAxis::last : ClassAxis::first;
  }
  std::vector<Array> masks;
  const Array& first = volumes[1].array;
  for (std::size_t i = 1; i < volumes.size(); ++i) {
    check_place(probs, volumes[i]);
    const Array& a = volumes[i].array;
    if (a.shape != first.shape)
      throw InputError(a.name + " is " + show_shape(a.shape) + " and " + first.name + " is " +
                       show_shape(first.shape) + ": the masks of a case must have the same shape");
    if (i <= raters.size()) masks.push_back(a);
  }
  const std::optional<std::size_t> axis = class_axis(probs.array, first, said);
  const Array one = axis ? slice_at(probs.array, *axis, 0) : probs.array;
  const Grid grid{first.shape, first_axis_fastest(one), first.size()};
  CaseItems out;
  for (const Volume& v : volumes) out.voxel_mm3 = std::max(out.voxel_mm3, voxel_volume(v.affine));
  out.raters = std::move(raters);
  const Array p = probabilities(probs.array, axis, grid, full, o);
  out.items.predictions = Predictions({Rows(p)}, o.scale, o.predictions);
  const int classes = out.items.predictions.classes();
  if (!o.classes.empty()) check_class_names(o.classes, classes);
  out.items.class_names = o.classes;
  const Array votes = ratings(masks, grid, classes, o);
  out.items.votes = Votes::from_ratings(Rows(votes), classes);
  if (o.band > 0) {
    Shape shape = grid.shape;
    std::vector<double> spacing = detail::voxel_spacing(o.spacing, volumes[1].affine, shape);
    if (!grid.first_fastest) {
      std::reverse(shape.begin(), shape.end());
      std::reverse(spacing.begin(), spacing.end());
    }
    std::vector<std::int32_t> by_voxel;
    out.items.votes.read_ratings(0, grid.voxels, by_voxel);
    out.bands = detail::boundary_bands(by_voxel, classes, shape, spacing, o.band, o.threads);
  }
  const Array* const roi = volumes.size() == masks.size() + 1 ? nullptr : &volumes.back().array;
  out.grid.shape = grid.shape;
  out.grid.first_axis_fastest = grid.first_fastest;
  const auto keep = [&](const std::vector<std::int64_t>& rows) {
    std::vector<std::int64_t> voxels;
    std::vector<std::uint32_t> bands;
    for (const std::int64_t row : rows) voxels.push_back(out.grid.voxel_of(row));
    if (!out.bands.empty())
      for (const std::int64_t row : rows) bands.push_back(out.bands[row]);
    out.grid.kept = std::move(voxels);
    out.bands = std::move(bands);
  };
  if (roi != nullptr || o.foreground || o.predicted) {
    const std::vector<std::int64_t> rows = kept_voxels(out.items, roi, grid, o);
    check_sums(p, grid, &rows, o);
    out.items = out.items.gather(rows);
    keep(rows);
  } else {
    check_sums(p, grid, nullptr, o);
  }
  if (o.exclude_background) {
    std::vector<std::int64_t> rows;
    out.items = detail::without_background(out.items, out.even, rows);
    keep(rows);
  }
  return out;
}

std::string CaseGrid::name(std::int64_t item) const {
  return show_voxel(voxel_of(item), shape, first_axis_fastest);
}

CasePredictions case_predictions(const Volume& probs, std::optional<std::size_t> axis, double full,
                                 const CaseFileOptions& o) {
  const Array& a = probs.array;
  CasePredictions out{{}, a.shape, axis, probs.affine.has_value()};
  const Array one = axis ? slice_at(a, *axis, 0) : a;
  const Grid grid{one.shape, out.first_axis_fastest, one.size()};
  const Array p = probabilities(a, axis, grid, full, o);
  check_sums(p, grid, nullptr, o);
  out.predictions = Predictions({Rows(p)}, o.scale, o.predictions);
  return out;
}

CasePredictions read_case_predictions(const ManifestCase& files, const CaseFileOptions& o, int classes) {
  const Volume probs = load_volume(files.probs, o.threads);
  const Array& a = probs.array;
  if (a.shape.empty()) throw InputError(a.name + " holds a single number, not an image");
  std::optional<std::size_t> axis;
  if (o.class_axis == ClassAxis::nnunet) {
    axis = class_axis_alone(a, ClassAxis::first, classes);
  } else if (files.raters.empty()) {
    axis = class_axis_alone(a, o.class_axis, classes);
  } else {
    const Volume mask = load_volume(files.raters.front().second, o.threads);
    check_place(probs, mask);
    axis = class_axis(a, mask.array, o.class_axis);
  }
  return case_predictions(probs, axis, full_scale(files.probs, a, o), o);
}

}  // namespace plumb
