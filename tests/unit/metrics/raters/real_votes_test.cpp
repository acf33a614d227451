// Real votes: CIFAR-10H (about 51 people an image, and 5 of them) under a VGG16, and ChaosNLI (100 people a
// sentence pair) under a RoBERTa. The data stay outside the project: without them the tests skip.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "plumb/io/load.hpp"
#include "plumb/metrics/raters/agreement.hpp"
#include "plumb/metrics/raters/disagreement.hpp"
#include "plumb/metrics/raters/label_histogram.hpp"
#include "unit/metrics/passes.hpp"
#include "unit/metrics/raters/naive.hpp"

namespace plumb {
namespace {

using Golden = std::map<std::string, double>;

// From real_votes_golden.py.
const Golden kCifar10h = {
    {"lsq", 0.16853370391682},
    {"el", 0.092063396079767},
    {"cl_plugin", 0.0130750815517878},
    {"cl", 0.0107950949306319},
    {"dl", 0.081268301149135},
    {"disagreement_loss", 0.0773912039517122},
    {"disagreement_cl_plugin", 0.00820325602411199},
    {"disagreement_cl", 0.00809820317002986},
    {"disagreement_classwise_loss", 0.0159989888548048},
    {"disagreement_classwise_ce", 0.0342853254678063},
    {"rater_agreement", 0.923529692162947},
    {"fleiss_kappa", 0.915026018681387},
    {"krippendorff_alpha", 0.915055429963296},
};
const Golden kCifar10hFive = {
    {"lsq", 0.16903503720427},
    {"el", 0.0933150372042696},
    {"cl_plugin", 0.0134049557784154},
    {"cl", 0.0109589297124986},
    {"dl", 0.0823561074917711},
    {"disagreement_loss", 0.0766782903587963},
    {"disagreement_cl_plugin", 0.00821520972551293},
    {"disagreement_cl", 0.00806070194298231},
    {"disagreement_classwise_loss", 0.0158798068978889},
    {"disagreement_classwise_ce", 0.034837905925161},
    {"rater_agreement", 0.92428},
    {"fleiss_kappa", 0.915858875348108},
    {"krippendorff_alpha", 0.915860558170601},
};
const Golden kChaosNli = {
    {"lsq", 0.559022167014928},
    {"el", 0.216999029430364},
    {"cl_plugin", 0.100823663333355},
    {"cl", 0.0991929680654602},
    {"dl", 0.117806061364904},
    {"disagreement_loss", 0.265739887737785},
    {"disagreement_cl_plugin", 0.044148845223009},
    {"disagreement_cl", 0.0440129272868422},
    {"disagreement_classwise_loss", 0.186200727769403},
    {"disagreement_classwise_ce", 0.142419889800051},
    {"rater_agreement", 0.657976862415436},
    {"fleiss_kappa", 0.447345582879446},
    {"krippendorff_alpha", 0.447349233172822},
};

std::filesystem::path data_folder() {
  const char* given = std::getenv("PLUMB_DATA");
  return given != nullptr ? given : std::filesystem::path(PLUMB_SOURCE_DIR) / "../shared/data";
}

Rows rows(const std::string& file) {
  const std::string spec = (data_folder() / file).string();
  return load(std::span(&spec, 1));
}

Items cifar(const std::string& counts) {
  Items items;
  items.predictions = Predictions({rows("plambda_cifar10_vgg16_probs.npy")}, Scale::probability);
  items.votes = Votes::from_counts(rows(counts), 10);
  return items;
}

Items chaosnli() {
  Items items;
  const std::string file = "nli/chaosnli_snli.csv:";
  items.predictions =
      Predictions({rows(file + "roberta-base_0_e,roberta-base_0_n,roberta-base_0_c")}, Scale::logit);
  items.votes = Votes::from_counts(rows(file + "c100_e,c100_n,c100_c"), 3);
  return items;
}

void check(const Items& items, const Golden& golden) {
  const BinEdges edges = test::equal_width(15);
  const ShareTables t = label_histogram(items, classwise_edges(items.classes(), edges), 0);
  Scores out;
  finish_label_histogram(t, out);
  finish_disagreement(disagreement(items, {}, disagreement_edges(items.classes(), edges), 0), out);
  finish_agreement(rater_agreement(items, 0), out);
  for (const auto& [key, expected] : golden) {
    // A root of about 0.03 magnifies the sum's error thirtyfold.
    EXPECT_NEAR(out.at(key).value.value_or(NAN), expected, key.ends_with("_ce") ? 1e-10 : test::kSums) << key;
  }
  // All items have two votes, so the parts of all of them add up.
  const auto value = [&out](const char* key) { return out.at(key).value.value_or(NAN); };
  EXPECT_EQ(out.at("el").items, items.size());
  EXPECT_NEAR(value("lsq"), value("el") + value("il"), test::kSums);
  EXPECT_NEAR(value("el"), value("cl") + value("dl"), test::kSums);
  EXPECT_NEAR(value("lsq"), value("cl") + value("rl"), test::kSums);
  for (const auto& [key, by_class] : label_histogram_classes(t)) {
    if (key == "ce" || key == "de") continue;
    double sum = 0;
    for (const auto& v : by_class) sum += v.value();
    EXPECT_NEAR(sum, value(key.c_str()), test::kSums) << key;
  }
}

#define SKIP_WITHOUT(file)                                 \
  if (!std::filesystem::exists(data_folder() / (file)))    \
  GTEST_SKIP() << (file) << " is not in " << data_folder() \
               << "; set PLUMB_DATA to the folder of the real data"

TEST(RealVotes, Cifar10h) {
  SKIP_WITHOUT("cifar10h-counts.npy");
  check(cifar("cifar10h-counts.npy"), kCifar10h);
}

TEST(RealVotes, FiveVotesOfCifar10h) {
  SKIP_WITHOUT("cifar10h_sub5_counts.npy");
  check(cifar("cifar10h_sub5_counts.npy"), kCifar10hFive);
}

TEST(RealVotes, ChaosNli) {
  SKIP_WITHOUT("nli/chaosnli_snli.csv");
  check(chaosnli(), kChaosNli);
}

// Ten times fewer votes move the debiased losses by their sampling error alone, and the plug-in epistemic
// loss by the whole bias il / n.
TEST(RealVotes, FewerVotesDoNotBiasTheDebiasedLosses) {
  SKIP_WITHOUT("cifar10h_sub5_counts.npy");
  const auto losses = [](const Items& items) {
    Scores out;
    finish_label_histogram(label_histogram(items, classwise_edges(10, test::equal_width(15)), 0), out);
    return out;
  };
  const Scores all = losses(cifar("cifar10h-counts.npy"));
  const Scores five = losses(cifar("cifar10h_sub5_counts.npy"));
  const auto moved = [&](const char* key) { return *five.at(key).value - *all.at(key).value; };
  EXPECT_LT(std::abs(moved("el")), 0.003);
  EXPECT_LT(std::abs(moved("dl")), 0.003);
  const double bias = *all.at("il").value * (1.0 / 5 - 1.0 / 51);
  EXPECT_NEAR(moved("el_plugin"), bias, 0.003);
  EXPECT_GT(bias, 0.01);
}

}  // namespace
}  // namespace plumb
