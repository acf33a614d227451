#include "train/data.hpp"

#include <filesystem>

#include "plumb/data/check.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

namespace fs = std::filesystem;

std::string format_of(const TrainOptions& o) {
  if (!fs::is_directory(o.data)) throw InputError("⟦data⟧: there is no folder \"" + o.data + "\"");
  if (o.format != "auto") return o.format;
  for (const char* ending : {"", ".gz"})
    if (fs::exists(o.data + "/train-images-idx3-ubyte" + ending)) return "mnist";
  if (fs::exists(o.data + "/data_batch_1.bin")) return "cifar10";
  if (has_arrays(o.data + "/train")) return "arrays";
  if (has_images(o.data + "/train")) return "images";
  if (has_cases(o.data + "/train")) return "cases";
  if (looks_like_utkface(o.data)) return "utkface";
  throw InputError(
      "⟦data⟧ " + o.data +
      " contains no data in a known layout; give a folder with train/images.npy and train/labels.npy (or features.npy, features.csv, counts.npy, targets.npy), with train/labels.csv of image files, with train/cases.csv (or train/images and train/masks) of images and masks, with MNIST's idx files, with CIFAR-10's binary batches or with UTKFace's photographs");
}

// The same items whatever else changes: the split depends only on the seed.
void cut_validation(Dataset& d, const TrainOptions& o) {
  const std::int64_t n = d.train.size();
  const auto held = static_cast<std::int64_t>(n * o.validation_share);
  if (held < 1 || held >= n)
    throw InputError("⟦validation_share⟧ leaves no items in one part of " + counted(n, "training item"));
  const torch::Tensor order = permutation(seed_for(data_seed_of(o), "validation"), n);
  d.validation = d.train.rows(std::get<0>(order.slice(0, 0, held).sort()));
  d.train = d.train.rows(std::get<0>(order.slice(0, held, n).sort()));
}

void check_split(const Dataset& d, const Split& s, const std::string& name) {
  if (s.size() == 0) throw InputError("the part " + name + "/ of the data has no items");
  const auto shape = s.inputs.sizes().slice(1), trained = d.train.inputs.sizes().slice(1);
  if (shape != trained)
    throw InputError("the inputs of " + name + "/ are of shape " + show_shape(shape) +
                     " and those of train/ of shape " + show_shape(trained));
  if (s.inputs.scalar_type() != d.train.inputs.scalar_type())
    throw InputError(
        "the inputs of train/ and of " + name +
        "/ are not of one type: bytes (uint8) are divided by 255, other numbers taken as they are; save both alike");
  for (const torch::Tensor& t : {s.votes, s.targets, s.truth})
    if (t.defined() && t.size(0) != s.size())
      check_same_rows(name + "/'s inputs", s.size(), "its labels", t.size(0));
  if (d.task == Task::regression) {
    if (!s.targets.defined() || s.targets.size(1) != d.outputs)
      throw InputError("the targets of " + name + "/ are not " + counted(d.outputs, "number") +
                       " per item, as those of train/ are");
    return;
  }
  if (!s.votes.defined() || s.votes.dim() != d.train.votes.dim())
    throw InputError("the labels of " + name +
                     "/ are not of the same kind (items or pixels) as those of train/");
  if (s.votes.size(1) != d.classes)
    throw InputError("the votes of " + name + "/ are for " + std::to_string(s.votes.size(1)) +
                     " classes and another part has " + std::to_string(d.classes) +
                     "; every part must have one column per class");
  if (s.votes.sum().item<double>() <= 0) throw InputError("there are no votes in " + name + "/");
  if (d.task == Task::segmentation &&
      (s.inputs.dim() != 4 || s.inputs.sizes().slice(2) != s.votes.sizes().slice(2)))
    throw InputError("the labels of " + name + "/ are of " + show_shape(s.votes.sizes().slice(2)) +
                     " pixels and its inputs of shape " + show_shape(s.inputs.sizes().slice(1)) +
                     "; labels of pixels need images of the same height and width");
  std::vector<std::int64_t> one{s.size()}, each{s.size(), d.classes};  // of class 1, or of every class
  if (d.task == Task::segmentation) one.insert(one.end(), s.votes.sizes().begin() + 2, s.votes.sizes().end());
  if (s.truth.defined() && s.truth.sizes() != one && s.truth.sizes() != each)
    throw InputError("the true probabilities of " + name + "/ are of shape " + show_shape(s.truth.sizes()) +
                     "; they must be of shape " + show_shape(one));
}

// A class without training items cannot be learned; a stray test label would otherwise add an output.
void check_shown(const Dataset& d, const Split& s, const std::string& part) {
  if (!s.votes.defined() || !d.train.votes.defined() || s.columns || s.votes.size(1) != d.train.votes.size(1))
    return;
  const auto by_class = [](const torch::Tensor& votes) { return votes.transpose(0, 1).flatten(1); };
  const torch::Tensor present = by_class(d.train.votes).sum(1) > 0;
  if (present.sum().item<std::int64_t>() < 2) return;  // check_dataset reports it
  const torch::Tensor strange = by_class(s.votes).gt(0) & ~present.unsqueeze(1);
  if (!strange.any().item<bool>()) return;
  const torch::Tensor at = strange.nonzero()[0];
  const std::int64_t pixels = strange.size(1) / s.size(), label = at[0].item<std::int64_t>();
  throw InputError(
      "the label " + std::to_string(label) + " in row " +
      std::to_string(at[1].item<std::int64_t>() / pixels) + " of " + part +
      " is a class without items in train/; correct it, or give votes (counts.npy) with a column for each class");
}

// Shapes agree between the parts and there is something to learn from.
void check_dataset(const Dataset& d) {
  for (const auto& [name, split] : d.parts()) check_split(d, *split, name);
  if (d.task == Task::regression) return;
  const torch::Tensor seen = d.train.votes.transpose(0, 1).reshape({d.classes, -1}).sum(1) > 0;
  const auto present = seen.sum().item<std::int64_t>();
  constexpr std::int64_t kMany = 100;  // a small set of a known format may lack some of its ten classes
  if (present >= 2 && d.classes > kMany && d.classes > 2 * present)
    throw InputError("the labels go up to class " + std::to_string(d.classes - 1) +
                     ", but train/ shows only " + std::to_string(present) +
                     " classes; correct the label that is too large, or number the classes 0, 1, 2, ...");
  if (present < 2)
    throw InputError("every label of train/ (" + counted(d.train.size(), "item") + ") is class " +
                     std::to_string(seen.to(torch::kInt8).argmax().item<std::int64_t>()) +
                     "; there is nothing to learn from one class");
}

}  // namespace

Split Split::rows(const torch::Tensor& index) const {
  const auto take = [&](const torch::Tensor& t) { return t.defined() ? t.index_select(0, index) : t; };
  return {take(inputs), take(votes), take(targets), take(truth), columns};
}

std::vector<std::pair<std::string, const Split*>> Dataset::parts() const {
  std::vector<std::pair<std::string, const Split*>> all{
      {"train", &train}, {"validation", &validation}, {"test", &test}};
  std::erase_if(all, [](const auto& part) { return !part.second->inputs.defined(); });
  return all;
}

torch::Tensor Normalisation::apply(const torch::Tensor& inputs) const {
  torch::Tensor x = inputs;
  if (x.scalar_type() == torch::kUInt8) x = x.to(torch::kFloat32).div_(255);
  return mean.defined() ? (x - mean) / deviation : x;
}

Normalisation Normalisation::to(torch::Device device) const {
  if (!mean.defined()) return {};
  return {mean.to(device), deviation.to(device)};
}

Normalisation normalisation_of(const torch::Tensor& inputs) {
  const bool images = inputs.dim() == 4;
  const std::vector<std::int64_t> over =
      images ? std::vector<std::int64_t>{0, 2, 3} : std::vector<std::int64_t>{0};
  const double scale = inputs.scalar_type() == torch::kUInt8 ? 255.0 : 1.0;
  // Sums in double, by blocks of items, so that a large set of bytes is not widened all at once.
  torch::Tensor sum, squares;
  double count = 0;
  for (std::int64_t begin = 0; begin < inputs.size(0); begin += 1024) {
    const torch::Tensor x =
        inputs.slice(0, begin, std::min(begin + 1024, inputs.size(0))).to(torch::kFloat64) / scale;
    const torch::Tensor s = x.sum(over, true), q = x.square().sum(over, true);
    sum = sum.defined() ? sum + s : s;
    squares = squares.defined() ? squares + q : q;
    count += x.numel() / x.size(1);
  }
  const torch::Tensor mean = sum / count;
  const torch::Tensor variance = (squares / count - mean.square()).clamp_min(0);
  // A constant channel is centred and left at its scale.
  const torch::Tensor deviation = torch::where(variance > 1e-12, variance.sqrt(), torch::ones_like(variance));
  return {mean.to(torch::kFloat32), deviation.to(torch::kFloat32)};
}

torch::Tensor votes_of_labels(const torch::Tensor& labels, std::int64_t classes) {
  const torch::Tensor hot = torch::one_hot(labels.to(torch::kLong), classes).to(torch::kFloat32);
  return labels.dim() == 3 ? hot.permute({0, 3, 1, 2}).contiguous() : hot;
}

Dataset load_dataset(const TrainOptions& o) {
  Dataset d;
  const std::string format = format_of(o);
  if (o.scenario != "none" && format != "utkface")
    throw InputError("⟦scenario⟧ draws outcomes for UTKFace, and " + o.data +
                     " is not a UTKFace folder (files named [age]_[gender]_[race]_[date].jpg)");
  if (format == "utkface") {
    read_utkface(o, d);
  } else if (format == "mnist" || format == "cifar10") {
    const auto read = format == "mnist" ? read_mnist : read_cifar10;
    d.classes = 10;
    d.train = read(o.data, true);
    d.test = read(o.data, false);
  } else {
    const auto read = format == "arrays" ? read_arrays : format == "cases" ? read_cases : read_images;
    // Classes are counted over all parts before labels become votes.
    for (int round = 0; round < 2; ++round) {
      const std::int64_t before = d.classes;
      d.train = read(o.data + "/train", o, d.task, d.classes);
      if (fs::is_directory(o.data + "/validation"))
        d.validation = read(o.data + "/validation", o, d.task, d.classes);
      if (fs::is_directory(o.data + "/test")) d.test = read(o.data + "/test", o, d.task, d.classes);
      if (d.classes == before || d.task == Task::regression) break;
      const auto votes_fit = [&](const Split& s) {
        return !s.votes.defined() || s.votes.size(1) == d.classes;
      };
      if (votes_fit(d.train) && votes_fit(d.validation) && votes_fit(d.test)) break;
    }
  }
  if (o.image_size > 0 && format != "images" && format != "utkface")
    throw InputError("⟦image_size⟧ resizes image files, and " + o.data +
                     (format == "cases" ? " holds images with masks" : " holds arrays") +
                     ", which are not resized; leave it out here");
  if (format == "utkface" && o.validation_share != TrainOptions{}.validation_share)
    throw InputError(
        "⟦validation_share⟧ is for data without a split, and UTKFace is split as in its paper; leave it out");
  if (format == "arrays" || format == "images" || format == "cases") {
    check_shown(d, d.validation, o.data + "/validation");
    check_shown(d, d.test, o.data + "/test");
  }
  if (o.train_items > 0) d.train = d.train.first(o.train_items);
  if (!d.validation.inputs.defined()) cut_validation(d, o);
  if (d.task == Task::regression) d.outputs = d.train.targets.size(1);
  check_dataset(d);
  if ((o.flip || o.shift > 0 || o.rotation > 0) && d.train.inputs.dim() != 4)
    throw InputError("⟦flip⟧, ⟦shift⟧ and ⟦rotation⟧ move images, and " + o.data +
                     " holds tables of numbers");
  if (o.intra_training && d.task != Task::regression)
    throw InputError("⟦intra_training⟧ is for regression, and " + o.data + " is for classification");
  if (o.normalize) d.normalisation = normalisation_of(d.train.inputs);
  return d;
}

}  // namespace plumb::train
