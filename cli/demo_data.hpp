// What the simulated data sets of "plumb demo KIND" share: flags, parts, image files, the README.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"

namespace plumb::cli {

using DemoProportions = std::array<std::int64_t, 3>;  // of train, validation and test
[[nodiscard]] constexpr std::int64_t total(const DemoProportions& p) { return p[0] + p[1] + p[2]; }

struct DemoOptions {
  std::string out;
  std::int64_t items = 0;  // over all parts
  std::uint64_t seed = 0;
  bool clahe = false, quiet = false;
};

/// A folder of the data set. Its seed is its own, so that a smaller part begins a larger one.
struct DemoPart {
  std::string name;
  std::filesystem::path dir;
  std::int64_t items = 0;
  std::uint64_t seed = 0;
  bool equalised = false;  // images after CLAHE

  [[nodiscard]] std::string file(const std::string& name_in_it) const { return (dir / name_in_it).string(); }
};

/// --out, --items, --seed, --quiet; and --clahe for images. The values in `options` are the defaults.
void add_demo_flags(
    Flags& flags, DemoOptions& options, bool images,
    const char* items = "total number of items; train, validation and test keep their proportions");
/// Checks the minimum number of items and strips a trailing slash from the folder.
void check_demo(DemoOptions& options, std::int64_t fewest);
void make_folder(const std::filesystem::path& folder);
/// Checks the flags, makes the folders train/, validation/, test/ (and test-clahe/) with items
/// in these proportions.
[[nodiscard]] std::vector<DemoPart> make_parts(DemoOptions& options, const DemoProportions& proportions);

/// Writes N x channels x height x width uint8 to images.npy of the part, drawn item by item on all cores.
/// `draw` is called once for every item, in no order.
using DrawImage = std::function<void(std::int64_t item, std::span<std::uint8_t> image)>;
void write_images(const DemoPart& part, std::array<int, 3> shape, bool quiet, const DrawImage& draw);

/// `text` with every `what` replaced.
[[nodiscard]] std::string filled_in(std::string text, const std::string& what, const std::string& by);

/// README.txt, in which @DIR@ stands for the folder, and the closing message: the lines of the README
/// after "Try".
void finish_demo(const DemoOptions& options, const std::vector<DemoPart>& parts, const std::string& readme);

// A data set in two parts, validation/ and test/: those of "plumb demo" and "plumb demo regression".
inline constexpr std::int64_t kFewestOfTwoParts = 60;
inline constexpr const char* kItemsOfTwoParts = "number of items: a third for validation, the rest for test";

/// A table of id ("cell-17", the first of them being `first`), patient and site.
[[nodiscard]] std::string patients_csv(const std::string& prefix, std::int64_t first,
                                       const std::vector<std::string>& patient,
                                       const std::vector<std::string>& site);
/// README.txt, and the closing message with the `next` command; @DIR@ stands for the folder in both.
void finish_two_parts(const DemoOptions& options, std::int64_t validation, std::string_view readme,
                      std::string_view next);

int demo_faces_command(const Args& args);
int demo_digits_command(const Args& args);
int demo_linear_model_command(const Args& args);
int demo_regression_images_command(const Args& args);
int demo_segmentation_command(const Args& args);

/// "plumb demo KIND ...": one of the above, by args[0].
int demo_data_command(const Args& args);

}  // namespace plumb::cli
