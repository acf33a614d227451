#include "plumb/io/case_files.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "plumb/data/check.hpp"
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
  if (probs.shape == mask.shape && said == ClassAxis::unsaid) return std::nullopt;
  const std::string shapes =
      probs.name + " is " + show_shape(probs.shape) + " and " + mask.name + " is " + show_shape(mask.shape);
  const bool more = probs.shape.size() == mask.shape.size() + 1;
  const bool first = more && without(probs.shape, 0) == mask.shape;
  const bool last = more && without(probs.shape, probs.shape.size() - 1) == mask.shape;
  if (first && last && said == ClassAxis::unsaid)
    throw InputError(shapes +
                     ": classes may stand on the first or on the last axis; say which with ⟦class_axis⟧");
  if (first && said != ClassAxis::last) return 0;
  if (last && said != ClassAxis::first) return probs.shape.size() - 1;
  throw InputError(
      shapes +
      (said == ClassAxis::unsaid
           ? "; they must agree, apart from an axis of classes, and Plumb does not resample: bring them to one grid, for example with SimpleITK"
           : ", which does not fit ⟦class_axis⟧ " +
                 std::string(said == ClassAxis::first ? "first" : "last")));
}

void check_place(const Volume& a, const Volume& b) {
  if (!a.affine || !b.affine) return;
  double largest = 0;
  for (std::size_t i = 0; i < a.affine->size(); ++i)
    largest = std::max(largest, std::fabs((*a.affine)[i] - (*b.affine)[i]));
  constexpr double kMillimetres = 1e-3;  // affines are often stored in single precision
  if (!(largest <= kMillimetres))
    throw InputError(b.array.name + " lies elsewhere than " + a.array.name +
                     ": their affines differ by up to " + show(largest) +
                     "; Plumb does not resample: bring them to one grid, for example with SimpleITK");
}

/// The values of masks that stand for the classes: names that are numbers, else 0 .. K-1.
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
                   " is no class (they are " + known + "); name the values of the classes with ⟦classes⟧ " +
                   show(classes.front()) + "," + show(v) + ", or leave it out with ⟦ignore_label⟧ " +
                   show(v));
}

/// Classes by voxel and rater; -1 where a rater is to be ignored.
Array ratings(const std::vector<Array>& masks, const Grid& grid, int classes, const CaseFileOptions& o) {
  const std::vector<double> values = class_values(o.classes, classes);
  const auto raters = std::ssize(masks);
  std::vector<std::int32_t> out(grid.voxels * raters);
  const bool plain = [&] {
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k] != static_cast<double>(k)) return false;
    return true;
  }();
  for (std::int64_t r = 0; r < raters; ++r) {
    const Array flat = flat_voxels(masks[r], grid.first_fastest);
    each_value(flat, o.threads, [&](std::int64_t begin, std::span<const double> labels) {
      for (std::int64_t i = 0; i < std::ssize(labels); ++i) {
        const double v = labels[i];
        std::int32_t cls = -1;
        if (!(o.ignore && v == *o.ignore)) {
          if (plain && v >= 0 && v < classes && v == std::floor(v)) {
            cls = static_cast<std::int32_t>(v);
          } else if (const auto at = std::find(values.begin(), values.end(), v); at != values.end()) {
            cls = static_cast<std::int32_t>(at - values.begin());
          } else {
            refuse_label(masks[r], grid, begin + i, v, values);
          }
        }
        out[(begin + i) * raters + r] = cls;
      }
    });
  }
  return array_of(std::move(out), {grid.voxels, raters}, masks.front().name);
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
                   ? " is no number"
                   : " is no probability; logits go into a column called logits, and scaled integers need ⟦full_scale⟧, for example 255"));
        if (!in_place) copy[(begin + i) * classes + k] = p;
      }
    });
  if (in_place) return parts.front();
  return array_of(std::move(copy), axis ? Shape{grid.voxels, classes} : Shape{grid.voxels}, probs.name);
}

/// The voxels that count.
std::vector<std::int64_t> kept_voxels(const Items& items, const Array* roi, const Grid& grid,
                                      const CaseFileOptions& o) {
  std::vector<char> keep(grid.voxels, 1);
  if (roi != nullptr)
    each_value(flat_voxels(*roi, grid.first_fastest), o.threads,
               [&](std::int64_t begin, std::span<const double> values) {
                 for (std::int64_t i = 0; i < std::ssize(values); ++i)
                   if (values[i] == 0 || std::isnan(values[i])) keep[begin + i] = 0;
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
  if (out.empty())
    throw InputError(std::string("no voxel is left: ") +
                     (roi != nullptr ? roi->name + (chosen.empty() ? " leaves" : " and " + chosen + " leave")
                                     : chosen + " leaves") +
                     " out all of them");
  return out;
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
  const Volume& probs = volumes[0];
  std::vector<Array> masks;
  const Array& first = volumes[1].array;
  for (std::size_t i = 1; i < volumes.size(); ++i) {
    check_place(probs, volumes[i]);
    const Array& a = volumes[i].array;
    if (a.shape != first.shape)
      throw InputError(a.name + " is " + show_shape(a.shape) + " and " + first.name + " is " +
                       show_shape(first.shape) + ": the masks of a case must have one shape");
    if (i <= files.raters.size()) masks.push_back(a);
  }
  const std::optional<std::size_t> axis = class_axis(probs.array, first, o.class_axis);
  const Array one = axis ? slice_at(probs.array, *axis, 0) : probs.array;
  const Grid grid{first.shape, first_axis_fastest(one), first.size()};
  CaseItems out;
  for (const Volume& v : volumes) out.voxel_mm3 = std::max(out.voxel_mm3, voxel_volume(v.affine));
  for (const auto& [column, source] : files.raters) out.raters.push_back(column);
  const Array p = probabilities(probs.array, axis, grid, full_scale(files.probs, probs.array, o), o);
  out.items.predictions = Predictions({Rows(p)}, o.scale, o.predictions);
  const int classes = out.items.predictions.classes();
  if (!o.classes.empty()) check_class_names(o.classes, classes);
  out.items.class_names = o.classes;
  out.items.votes = Votes::from_ratings(Rows(ratings(masks, grid, classes, o)), classes);
  const Array* const roi = files.roi.path.empty() ? nullptr : &volumes.back().array;
  if (roi != nullptr || o.foreground || o.predicted)
    out.items = out.items.gather(kept_voxels(out.items, roi, grid, o));
  return out;
}

}  // namespace plumb
