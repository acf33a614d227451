// UTKFace (Zhang et al. 2017): photographs named [age]_[gender]_[race]_[date].jpg, or .jpg.chip.jpg, in one
// folder. Liu et al. 2022, section 7.1, give each a risk psi(age) and draw whether the outcome happened.
#include <algorithm>
#include <filesystem>
#include <regex>

#include "plumb/data/check.hpp"
#include "plumb/numeric/random.hpp"
#include "plumb/simulate/scenarios.hpp"
#include "train/data.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

namespace fs = std::filesystem;

// Liu 2022, appendix: training, validation and test of all 23708 photographs.
constexpr double kLiuTrain = 16641.0 / 23708, kLiuValidation = 4738.0 / 23708;

// In order of their names, whatever the order on the disk.
std::vector<std::string> pictures_of(const std::string& folder) {
  static const std::regex picture(R"(.*\.(jpg|jpeg|png))", std::regex::icase);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && std::regex_match(name, picture)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The age alone has to be readable: some of the published names lack the gender or the race.
int age_of(const std::string& folder, const std::string& name) {
  static const std::regex form(R"((\d{1,3})_.*)");
  std::smatch parts;
  const int age = std::regex_match(name, parts, form) ? std::stoi(parts[1]) : -1;
  if (age < 0 || age > kOldest)
    throw InputError(
        folder + "/" + name +
        " does not begin with an age of 0 to 116 years, as names of UTKFace do ([age]_[gender]_[race]_[date].jpg); rename the file or remove it");
  return age;
}

// Depends only on the seed and the name, so adding or removing a file changes no other file's outcome.
bool happens(std::uint64_t seed, const std::string& name, double risk) {
  return random_uniform(seed_for(seed, name), Purpose::demo, 0, 0) < risk;
}

}  // namespace

bool looks_like_utkface(const std::string& folder) {
  static const std::regex form(R"(\d{1,3}_[01]_[0-4]_\d+.*)");
  const std::vector<std::string> names = pictures_of(folder);
  const auto fit = std::count_if(names.begin(), names.end(),
                                 [](const std::string& name) { return std::regex_match(name, form); });
  return 2 * fit > std::ssize(names);
}

void read_utkface(const TrainOptions& o, Dataset& d) {
  const bool outcomes = o.scenario != "none";
  if (!outcomes && (o.method != "ce" || o.head == "softmax" || o.head == "sigmoid" || o.targets == "labels"))
    throw InputError(
        "⟦data⟧ " + o.data +
        " is UTKFace, which has ages and no classes; give ⟦scenario⟧ linear, for example, to draw outcomes from a risk by age, or leave out ⟦method⟧, ⟦head⟧ and ⟦targets⟧ to learn the age");
  if (o.targets == "counts" || o.targets == "ratings" || (outcomes && o.targets == "targets"))
    throw InputError("⟦targets⟧ " + o.targets +
                     " is not in UTKFace: with ⟦scenario⟧ its outcomes are learned, without it the ages");
  const std::vector<std::string> names = pictures_of(o.data);
  const std::int64_t n = std::ssize(names);
  if (n < 3)
    throw InputError("⟦data⟧ " + o.data + " holds " + counted(n, "JPEG or PNG file") +
                     "; training, validation and test need at least one each");
  std::vector<float> ages, risks;
  std::vector<std::int64_t> labels;
  for (const std::string& name : names) {
    const int age = age_of(o.data, name);
    ages.push_back(age);
    if (!outcomes) continue;
    const double risk = scenario_risk(parse_scenario(o.scenario), age);
    risks.push_back(risk);
    labels.push_back(happens(data_seed_of(o), name, risk) ? 1 : 0);
  }
  Split all;
  all.inputs = read_pictures(o.data, names, o.image_size);
  d.task = outcomes ? Task::classification : Task::regression;
  if (outcomes) {
    d.classes = 2;
    all.votes = votes_of_labels(torch::tensor(labels), 2);
    all.truth = torch::tensor(risks);
  } else {
    all.targets = torch::tensor(ages).unsqueeze(1);
  }
  const auto share = [n](double s) { return std::max<std::int64_t>(1, std::llround(s * n)); };
  const std::int64_t held = share(kLiuValidation), learned = std::min(share(kLiuTrain), n - held - 1);
  const torch::Tensor order = permutation(seed_for(data_seed_of(o), "parts"), n);
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    return all.rows(std::get<0>(order.slice(0, begin, end).sort()));
  };
  d.train = part(0, learned);
  d.validation = part(learned, learned + held);
  d.test = part(learned + held, n);
}

}  // namespace plumb::train
