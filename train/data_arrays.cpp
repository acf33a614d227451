// Folders of arrays: images.npy, inputs.npy, features.npy or features.csv beside labels, counts or targets.
#include <cctype>
#include <filesystem>

#include "plumb/data/check.hpp"
#include "train/data.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

namespace fs = std::filesystem;

std::string find_file(const std::string& folder, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (fs::exists(folder + "/" + name)) return folder + "/" + name;
  return "";
}

constexpr double kLastClass = 65535;

// Names of classes are refused with the remedy.
Rows load_labels(const std::string& spec) {
  try {
    return load_path(spec);
  } catch (const InputError&) {
    const Rows rows = load_path(spec, {.want = Want::either});
    for (std::int64_t i = 0; rows.is_text() && i < rows.rows(); ++i) {
      const std::string label(rows.text(i));
      if (!label.empty() && std::isalpha(static_cast<unsigned char>(label.front())) != 0)
        throw InputError(
            rows.where(i) + ": the label \"" + label +
            "\" is a name, and training needs class indices: write 0 for the first class, 1 for the second, and so on");
    }
    throw;
  }
}

std::string inputs_of(const std::string& folder) {
  return find_file(folder, {"images.npy", "inputs.npy", "features.npy", "inputs.csv", "features.csv"});
}

// Images with the channels last, as most programs store them, would be read with as many channels as rows.
void check_channels_first(const torch::Tensor& images, const std::string& file) {
  if (images.dim() != 4) return;
  const auto colours = [](std::int64_t n) { return n == 1 || n == 3 || n == 4; };
  // Images with so few columns are read as declared: 8 x 4 x 4 is eight channels.
  if (colours(images.size(1)) || images.size(1) < 5 || !colours(images.size(3)) ||
      images.size(2) == images.size(3))
    return;
  throw InputError(
      file + " is of shape " + show_shape(images.sizes()) +
      ", which looks like colours in the last axis; images are items x channels x height x width: save images.transpose(0, 3, 1, 2)");
}

// As float32, which is what networks compute with.
torch::Tensor read_finite(const std::string& path) {
  const torch::Tensor t = tensor_of(load_path(path));
  if (t.scalar_type() == torch::kFloat32)
    check_each(torch::isfinite(t), t, path, "is not a finite float32; replace it, or rescale the inputs");
  return t;
}

}  // namespace

torch::Tensor votes_of_ratings(const torch::Tensor& ratings, const std::string& name, std::int64_t& classes) {
  if (ratings.dim() != 2 && ratings.dim() != 4)
    throw InputError(name +
                     ": ratings are items x raters, or items x raters x height x width, not of shape " +
                     show_shape(ratings.sizes()));
  const torch::Tensor r = ratings.to(torch::kFloat32), given = r >= 0;
  check_each(~given | (r == r.round()), r, name, "is not a class index (0, 1, 2, ...)");
  const double most = given.any().item<bool>() ? r.masked_select(given).max().item<double>() : 0;
  if (most > kLastClass)
    throw InputError(name + " holds " + show(most) +
                     ", which is beyond the last class index, 65535; number the classes 0, 1, 2, ...");
  classes = std::max({classes, static_cast<std::int64_t>(most) + 1, std::int64_t{2}});
  std::vector<torch::Tensor> votes;
  for (std::int64_t k = 0; k < classes; ++k) votes.push_back((r == k).sum(1).to(torch::kFloat32));
  return torch::stack(votes, 1);
}

Rows load_path(const std::string& path, const LoadOptions& options) {
  const std::string specs[] = {path};
  return load(specs, options);
}

void check_each(const torch::Tensor& good, const torch::Tensor& t, const std::string& file,
                const std::string& complaint) {
  if (good.all().item<bool>()) return;
  const auto at = (~good).reshape({-1}).to(torch::kInt8).argmax().item<std::int64_t>();
  const double value = t.reshape({-1})[at].item<double>();
  throw InputError(file + ", row " + std::to_string(at / (t.numel() / t.size(0))) + ": " + show(value) + " " +
                   complaint);
}

torch::Tensor checked_votes(const torch::Tensor& counts, const std::string& file) {
  const torch::Tensor votes = counts.to(torch::kFloat32);
  if ((votes.dim() != 2 && votes.dim() != 4) || votes.size(1) < 2)
    throw InputError(
        file + " is of shape " + show_shape(votes.sizes()) +
        "; votes are items x classes, or items x classes x height x width, of two classes or more");
  check_each((votes >= 0) & (votes == votes.round()), votes, file,
             "is not a number of votes (0, 1, 2, ...)");  // NaN fails as well
  return votes;
}

bool has_arrays(const std::string& folder) { return !inputs_of(folder).empty(); }

bool has_answers(const std::string& folder) {
  return !find_file(folder, {"counts.npy", "counts.csv", "ratings.npy", "ratings.csv", "labels.npy",
                             "labels.csv", "targets.npy", "targets.csv"})
              .empty();
}

torch::Tensor read_labels(const std::string& spec, std::int64_t& classes) {
  const Rows rows = load_labels(spec);
  std::vector<double> values(rows.rows() * rows.width());
  rows.read(0, rows.rows(), values);
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    const double v = values[i];
    if (!(v >= 0 && v <= kLastClass) || v != std::floor(v))
      throw InputError(rows.where(i / rows.width()) + ": the label " + show(v) +
                       (v > kLastClass
                            ? " is beyond the last class index, 65535; number the classes 0, 1, 2, ..."
                            : " is not a class index (0, 1, 2, ...)"));
    classes = std::max(classes, static_cast<std::int64_t>(v) + 1);
  }
  classes = std::max<std::int64_t>(classes, 2);
  std::vector<std::int64_t> shape = rows.shards().front().shape;
  shape[0] = rows.rows();
  torch::Tensor t = torch::tensor(values, torch::kFloat64).to(torch::kLong).reshape(shape);
  if ((t.dim() == 2 || t.dim() == 4) && t.size(1) == 1) t = t.squeeze(1);
  if (t.dim() != 1 && t.dim() != 3)
    throw InputError(rows.name() +
                     ": labels are one per item, or one per pixel (items x height x width), not of shape " +
                     show_shape(shape));
  return t;
}

Split read_arrays(const std::string& folder, const TrainOptions& o, Task& task, std::int64_t& classes) {
  Split s;
  const std::string inputs = inputs_of(folder);
  if (inputs.empty())
    throw InputError("there is no images.npy, inputs.npy, features.npy or features.csv in " + folder);
  s.inputs = read_finite(inputs);
  if (s.size() == 0) throw InputError(inputs + " has no rows: there is nothing in this part of the data");
  // One number per item; grey images without a channel axis.
  if (s.inputs.dim() == 1 || s.inputs.dim() == 3) s.inputs = s.inputs.unsqueeze(1);
  if (s.inputs.dim() != 2 && s.inputs.dim() != 4)
    throw InputError(inputs + " is of shape " + show_shape(s.inputs.sizes()) +
                     "; inputs are items x numbers, or images as items x channels x height x width");

  check_channels_first(s.inputs, inputs);

  if (o.targets == "none") return s;  // predictions need no labels

  const std::string counts = find_file(folder, {"counts.npy", "counts.csv"});
  const std::string ratings = find_file(folder, {"ratings.npy", "ratings.csv"});
  const std::string labels = find_file(folder, {"labels.npy", "labels.csv"});
  const std::string targets = find_file(folder, {"targets.npy", "targets.csv"});
  const bool regression = o.targets == "targets" || o.head == "gaussian" || o.head == "laplace" ||
                          (o.targets == "auto" && counts.empty() && labels.empty() && ratings.empty());
  if (regression) {
    const std::string classes_in = !counts.empty() ? counts : !labels.empty() ? labels : ratings;
    if (targets.empty() && o.targets != "targets" && !classes_in.empty())
      throw InputError(
          "⟦head⟧ " + o.head + " is for regression, and " + classes_in +
          " holds classes; save numeric targets as targets.npy, or leave out ⟦head⟧ to learn classes");
    if (targets.empty())
      throw InputError(
          o.targets == "targets"
              ? "there is no targets.npy or targets.csv in " + folder
              : "there is nothing to learn in " + folder +
                    ": give labels.npy, counts.npy, ratings.npy or targets.npy (or .csv) beside " + inputs);
    const torch::Tensor read = read_finite(targets).to(torch::kFloat32);
    check_same_rows(inputs, s.size(), targets, read.size(0));
    s.targets = read.reshape({s.size(), -1});
    task = Task::regression;
    return s;
  }
  if (!counts.empty() && (o.targets == "auto" || o.targets == "counts")) {
    s.votes = checked_votes(tensor_of(load_path(counts)), counts);
    check_same_rows(inputs, s.size(), counts, s.votes.size(0));
    classes = std::max(classes, s.votes.size(1));
    s.columns = true;
  } else if (!ratings.empty() && (o.targets == "ratings" || (o.targets == "auto" && labels.empty()))) {
    s.votes = votes_of_ratings(tensor_of(load_path(ratings)), ratings, classes);
    check_same_rows(inputs, s.size(), ratings, s.votes.size(0));
  } else {
    const std::string wanted = o.targets == "auto" ? "labels" : o.targets;
    if (labels.empty() || wanted != "labels") throw InputError("there is no " + wanted + ".npy in " + folder);
    const torch::Tensor read = read_labels(labels, classes);  // raises `classes`
    check_same_rows(inputs, s.size(), labels, read.size(0));
    s.votes = votes_of_labels(read, classes);
  }
  task = s.votes.dim() == 4 ? Task::segmentation : Task::classification;
  const std::string truth = find_file(folder, {"truth.npy", "truth.csv"});
  if (!truth.empty()) {
    s.truth = tensor_of(load_path(truth)).to(torch::kFloat32);
    const bool column = s.truth.dim() == 2 || (task == Task::segmentation && s.truth.dim() == 4);
    if (column && s.truth.size(1) == 1) s.truth = s.truth.squeeze(1);
    check_same_rows(inputs, s.size(), truth, s.truth.size(0));
    check_each((s.truth >= 0) & (s.truth <= 1), s.truth, truth,
               "lies outside [0, 1]; true probabilities are needed");
  }
  return s;
}

}  // namespace plumb::train
