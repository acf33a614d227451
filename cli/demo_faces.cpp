#include "demo_data.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/simulate/faces.hpp"
#include "plumb/simulate/scenarios.hpp"

namespace plumb::cli {
namespace {

// Liu et al. 2022, appendix I.
constexpr DemoProportions kFacesParts{16641, 4738, 2329};

constexpr const char* kFacesReadme =
    R"(Simulated face-based risk prediction (Liu et al. 2022, section 7.1), scenario @SCENARIO@. The faces are drawn, not
photographed; they show no real person. A person falls ill with a probability that depends only on age, and
the task is to predict that probability from the face.

train/, validation/ and test/ (and test-clahe/, if requested: the test images after contrast equalisation) hold
  images.npy   N x 3 x @SIZE@ x @SIZE@ uint8   red, green, blue
  labels.npy   N uint8            1: fell ill
  truth.npy    N float64          the probability of that; for checking, and for the oracle that redraws labels
  items.csv    text               id, age

Try, from the folder above this one:
  how well the true probabilities do: no model can beat them by more than chance
    plumb evaluate --probs @DIR@/test/truth.npy --labels @DIR@/test/labels.npy
  a network that learns the probabilities
    plumb train --data @DIR@ --model resnet18 --method cape-bin --lr 0.01 --plateau 5 --out runs/cape
    plumb evaluate --probs runs/cape/test/probs.npy --labels @DIR@/test/labels.npy --truth @DIR@/test/truth.npy
)";

std::string ages_csv(const DemoPart& part, const std::vector<std::uint8_t>& age) {
  std::string out = "id,age\n";
  for (std::size_t i = 0; i < age.size(); ++i)
    out += (part.equalised ? "test" : part.name) + "-" + std::to_string(i) + "," +
           std::to_string(int{age[i]}) + "\n";
  return out;
}

void write_faces(const DemoPart& part, Scenario scenario, int size, bool quiet) {
  const RiskData risks = simulate_risks({scenario, part.items, part.seed});
  const std::array column{part.items};
  write_npy(part.file("labels.npy"), risks.labels, column);
  write_npy(part.file("truth.npy"), risks.truth, column);
  write_file(part.file("items.csv"), ages_csv(part, risks.age));
  write_images(part, {3, size, size}, quiet, [&](std::int64_t i, std::span<std::uint8_t> image) {
    draw_face(part.seed, i, risks.age[i], size, image);
  });
}

}  // namespace

int demo_faces_command(const Args& args) {
  Flags flags("demo faces",
              "Writes drawn faces of known age and a random outcome whose probability depends only on age.");
  DemoOptions options{.out = "faces", .items = total(kFacesParts)};
  std::string name = scenario_name(Scenario::linear);
  std::int64_t size = 32;
  Args names;
  for (const Scenario s : kScenarios) names.emplace_back(scenario_name(s));
  flags.choice("--scenario", names, name, "how the probability depends on age");
  flags.integer("--size", size, "pixels along each side, 8 to 128");
  add_demo_flags(flags, options, true);
  flags.examples(
      "Example:\n  plumb demo faces --scenario linear --out faces\n  plumb demo faces --scenario discrete --items 3000 --size 24 --out small");
  if (!flags.parse(args)) return kDone;
  const Scenario scenario = parse_scenario(name);
  const int pixels = between("--size", size, kSmallestFace, kLargestFace);
  const std::vector<DemoPart> parts = make_parts(options, kFacesParts);
  for (const DemoPart& part : parts) write_faces(part, scenario, pixels, options.quiet);
  finish_demo(options, parts,
              filled_in(filled_in(kFacesReadme, "@SCENARIO@", name), "@SIZE@", std::to_string(size)));
  return kDone;
}

}  // namespace plumb::cli
