// Images with the masks of raters: a manifest (cases.csv with the columns case, image, rater_1, ...) or
// folders of files, images/ and masks/ (or a folder masks_NAME/ for each rater), with the same names.
#include <algorithm>
#include <filesystem>
#include <map>

#include "plumb/data/check.hpp"
#include "plumb/io/manifest.hpp"
#include "plumb/io/volume.hpp"
#include "train/data.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const fs::directory_entry& at : fs::directory_iterator(folder)) out.push_back(at.path());
  std::sort(out.begin(), out.end(),
            [](const fs::path& a, const fs::path& b) { return natural_less(a.string(), b.string()); });
  return out;
}

/// "a" of a.png and of a.nii.gz.
std::string stem_of(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0, name.find('.', 1));
}

Manifest folder_cases(const std::string& folder) {
  Manifest out;
  out.path = folder;
  std::map<std::string, std::vector<std::pair<std::string, Source>>> masks;
  for (const fs::path& at : sorted_entries(folder)) {
    const std::string rater = at.filename().string();
    if (!fs::is_directory(at) || !rater.starts_with("masks")) continue;
    for (const fs::path& file : sorted_entries(at))
      masks[stem_of(file)].emplace_back(rater, Source{file.string(), ""});
  }
  for (const fs::path& file : sorted_entries(folder + "/images")) {
    ManifestCase c;
    c.name = stem_of(file);
    c.probs = {file.string(), ""};
    c.raters = masks[c.name];
    if (c.raters.empty())
      throw InputError(file.string() + " has no mask: no folder masks or masks_... of " + folder +
                       " has a file called " + c.name);
    out.cases.push_back(std::move(c));
  }
  if (out.cases.empty()) throw InputError(folder + "/images has no files");
  return out;
}

bool is_picture(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

/// H x W as one slice; the slices of a volume are its last axis.
torch::Tensor slices_of(const Source& source) {
  const Array a = load_volume(source).array;
  if (a.shape.size() != 2 && a.shape.size() != 3)
    throw InputError(
        a.name + " is " + show_shape(a.shape) +
        "; training takes images (height x width) and volumes, slice by slice along the last axis");
  const Rows rows(flat_voxels(a, false));
  std::vector<double> values(rows.rows());
  rows.read(0, rows.rows(), values);
  const torch::Tensor all =
      torch::from_blob(values.data(), a.shape, torch::kFloat64).to(torch::kFloat32).clone();
  check_each(torch::isfinite(all), all, a.name, "is not a finite number; replace it first");
  return all.dim() == 2 ? all.unsqueeze(0) : all.permute({2, 0, 1}).contiguous();
}

/// Slices x channels x height x width; pictures keep their colours.
torch::Tensor image_of(const ManifestCase& c) {
  if (!is_picture(c.probs.path)) return slices_of(c.probs).unsqueeze(1);
  const fs::path path = c.probs.path;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return read_pictures(folder.string(), {path.filename().string()}, 0);
}

/// Slices x raters x height x width, -1 where a rater has no mask.
torch::Tensor ratings_of(const ManifestCase& c, const std::vector<std::string>& raters,
                         const torch::Tensor& image) {
  const std::vector<std::int64_t> shape{image.size(0), image.size(2), image.size(3)};
  std::vector<torch::Tensor> all(raters.size(), torch::full(shape, -1, torch::kFloat32));
  for (const auto& [rater, source] : c.raters) {
    const torch::Tensor mask = slices_of(source);
    if (mask.sizes() != shape)
      throw InputError("case " + c.name + ": " + source.path + " is " + show_shape(mask.sizes()) + " and " +
                       c.probs.path + " is " + show_shape(shape) +
                       " (slices x height x width); a mask has the size of its image");
    all[std::find(raters.begin(), raters.end(), rater) - raters.begin()] = mask;
  }
  return torch::stack(all, 1);
}

}  // namespace

bool has_cases(const std::string& folder) {
  return fs::exists(folder + "/cases.csv") || fs::is_directory(folder + "/images");
}

Split read_cases(const std::string& folder, const TrainOptions& o, Task& task, std::int64_t& classes) {
  if (o.targets != "auto" && o.targets != "ratings")
    throw InputError("⟦targets⟧ " + o.targets + " is not there in " + folder + ", which has masks of raters");
  const std::string table = folder + "/cases.csv";
  const Manifest manifest =
      fs::exists(table) ? read_manifest(table, {}, true, true, "image") : folder_cases(folder);
  std::vector<std::string> raters;
  for (const ManifestCase& c : manifest.cases)
    for (const auto& [rater, source] : c.raters)
      if (std::find(raters.begin(), raters.end(), rater) == raters.end()) raters.push_back(rater);
  std::vector<torch::Tensor> images, ratings;
  for (const ManifestCase& c : manifest.cases) {
    images.push_back(image_of(c));
    const torch::Tensor& own = images.back();
    const torch::Tensor& first = images.front();
    if (own.sizes().slice(1) != first.sizes().slice(1) || own.scalar_type() != first.scalar_type())
      throw InputError("case " + c.name + ": " + c.probs.path + " is " + show_shape(own.sizes().slice(1)) +
                       " (channels x height x width) and " + manifest.cases.front().probs.path + " is " +
                       show_shape(first.sizes().slice(1)) +
                       "; images must be of one size and kind: cut or resize them first");
    ratings.push_back(ratings_of(c, raters, own));
  }
  task = Task::segmentation;
  Split s;
  s.inputs = torch::cat(images);
  s.votes = votes_of_ratings(torch::cat(ratings), manifest.path, classes);
  return s;
}

}  // namespace plumb::train
