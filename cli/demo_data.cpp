#include "demo_data.hpp"

#include <algorithm>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/simulate/clahe.hpp"
#include "plumb/simulate/streams.hpp"
#include "shell/console.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {
namespace {

constexpr std::int64_t kFewestOfThreeParts = 30, kMostItems = 1'000'000;
constexpr std::int64_t kBlockBytes = 1 << 24;

struct Kind {
  const char* name;
  int (*run)(const Args&);
};
constexpr Kind kKinds[] = {{"faces", demo_faces_command},
                           {"digits", demo_digits_command},
                           {"linear-model", demo_linear_model_command},
                           {"regression-images", demo_regression_images_command},
                           {"segmentation", demo_segmentation_command}};

DemoPart make_part(const DemoOptions& options, const std::string& name, const std::string& draws,
                   std::int64_t items) {
  DemoPart part{name, std::filesystem::path(options.out) / name, items, derive_seed(options.seed, draws),
                name != draws};
  make_folder(part.dir);
  return part;
}

}  // namespace

std::string filled_in(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError("cannot create the directory " + folder.string() + ": " + error.message() +
                     "; give another with --out");
}

void add_demo_flags(Flags& flags, DemoOptions& options, bool images, const char* items) {
  flags.text("--out", "DIR", options.out, "output folder [" + options.out + "]");
  flags.integer("--items", options.items, items);
  flags.seed("--seed", options.seed, "seed of the random numbers");
  if (images)
    flags.toggle(
        "--clahe", options.clahe,
        "also write test-clahe/: the test images after contrast equalisation, as a shifted test set");
  flags.toggle("--quiet", options.quiet, "print nothing");
}

void check_demo(DemoOptions& options, std::int64_t fewest) {
  between("--items", options.items, fewest, kMostItems);
  std::string& out = options.out;
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  if (out.empty()) throw InputError("--out needs the name of a directory");
}

std::vector<DemoPart> make_parts(DemoOptions& options, const DemoProportions& proportions) {
  check_demo(options, kFewestOfThreeParts);
  const std::int64_t all = total(proportions);
  const auto scaled = [&](std::int64_t n) {
    return std::max<std::int64_t>(1, (2 * n * options.items + all) / (2 * all));
  };
  const std::int64_t validation = scaled(proportions[1]), test = scaled(proportions[2]);
  std::vector<DemoPart> parts{make_part(options, "train", "train", options.items - validation - test),
                              make_part(options, "validation", "validation", validation),
                              make_part(options, "test", "test", test)};
  if (options.clahe) parts.push_back(make_part(options, "test-clahe", "test", test));
  return parts;
}

void write_images(const DemoPart& part, std::array<int, 3> shape, bool quiet, const DrawImage& draw) {
  const std::int64_t bytes = std::int64_t{shape[0]} * shape[1] * shape[2],
                     block = std::max<std::int64_t>(1, kBlockBytes / bytes);
  AtomicFile file(part.file("images.npy"));
  file.write(npy_header(DType::u8, std::array<std::int64_t, 4>{part.items, shape[0], shape[1], shape[2]}));
  ProgressBar bar(!quiet);
  const auto progress = bar.callback();
  std::vector<std::uint8_t> pixels;
  for (std::int64_t begin = 0; begin < part.items; begin += block) {
    const std::int64_t n = std::min(block, part.items - begin);
    pixels.resize(n * bytes);
    parallel_blocks(n, 8, 0, [&](int, std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) {
        const auto image = std::span(pixels).subspan(i * bytes, bytes);
        draw(begin + i, image);
        if (part.equalised) clahe(image, shape[0], shape[1], shape[2], ClaheOptions{}, image);
      }
    });
    file.write(std::as_bytes(std::span(pixels)));
    if (progress) progress(static_cast<double>(begin + n) / part.items);
  }
  file.commit();
}

void finish_demo(const DemoOptions& options, const std::vector<DemoPart>& parts, const std::string& readme) {
  const std::string text = filled_in(readme, "@DIR@", options.out);
  write_file((std::filesystem::path(options.out) / "README.txt").string(), text);
  if (options.quiet) return;
  std::string wrote = "Wrote ";
  for (const DemoPart& part : parts)
    wrote += (&part == &parts.front() ? "" : ", ") + options.out + "/" + part.name + " (" +
             counted(part.items, "item") + ")";
  write_stdout(wrote + "; " + options.out + "/README.txt describes the files.\n" +
               text.substr(text.find("Try")));
}

std::string patients_csv(const std::string& prefix, std::int64_t first,
                         const std::vector<std::string>& patient, const std::vector<std::string>& site) {
  std::string out = "id,patient,site\n";
  for (std::int64_t i = 0; i < std::ssize(patient); ++i)
    out += prefix + std::to_string(first + i) + "," + patient[i] + "," + site[i] + "\n";
  return out;
}

void finish_two_parts(const DemoOptions& options, std::int64_t validation, std::string_view readme,
                      std::string_view next) {
  const std::string& out = options.out;
  const auto here = [&](std::string_view text) { return filled_in(std::string(text), "@DIR@", out); };
  write_file(out + "/README.txt", here(readme));
  if (options.quiet) return;
  write_stdout("Wrote " + out + "/validation (" + counted(validation, "item") + ") and " + out + "/test (" +
               counted(options.items - validation, "item") + "); " + out +
               "/README.txt describes the files.\n" + here(next));
}

int demo_data_command(const Args& args) {
  Args known{"regression"};
  for (const Kind& kind : kKinds) {
    if (args[0] == kind.name) return kind.run({args.begin() + 1, args.end()});
    known.emplace_back(kind.name);
  }
  throw InputError(
      "there is no demo \"" + args[0] + "\"" + did_you_mean(args[0], known) +
      "; there are faces, digits, linear-model, regression, regression-images and segmentation, and \"plumb demo\" alone writes a cohort");
}

}  // namespace plumb::cli
