#include "train/run.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "support.hpp"

namespace plumb::train {
namespace {

using testing::Folder;

TEST(Grid, RunsTheMissingCellsOnly) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  write_file(folder / "grid.json",
             R"({"base": {"data": ")" + (folder / "data") +
                 R"(", "hidden": [4], "epochs": 2}, "vary": {"method": ["ce", "focal"], "seed": [0, 1]}})");
  TrainOptions how;
  how.out = folder / "grid";
  how.device = "cpu";
  how.threads = 1;
  int begun = 0;
  int batches = 0;
  const Hooks stop{.say = [&](const std::string&) { ++begun; }, .interrupted = [&] { return ++batches > 9; }};
  EXPECT_THROW((void)run_grid(folder / "grid.json", how, stop), Interrupted);
  const int first = begun;
  EXPECT_LT(first, 4);
  EXPECT_EQ(run_grid(folder / "grid.json", how, {.say = [&](const std::string&) { ++begun; }}).missing, 0);
  EXPECT_EQ(begun, 5);  // the interrupted cell is begun twice, the finished ones once
  std::ifstream table(folder / "grid/grid.csv");
  std::string line;
  int done = 0;
  while (std::getline(table, line)) done += line.find(",done,") != std::string::npos ? 1 : 0;
  EXPECT_EQ(done, 4);
  write_file(folder / "bad.json", R"({"vary": {"metod": ["ce"]}})");
  EXPECT_THROW((void)run_grid(folder / "bad.json", how, {}), InputError);
}

TEST(Grid, ACellStartsFromTheRunThatItsOwnValuesName) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  const std::string base = R"({"base": {"data": ")" + (folder / "data") + R"(", "hidden": [4], "epochs": 2)";
  write_file(folder / "start.json", base + R"(}, "vary": {"method": ["ce"], "seed": [0, 1]}})");
  write_file(folder / "cape.json", base + R"(, "start_from": ")" + (folder / "start") +
                                       R"(/ce_{seed}"}, "vary": {"method": ["cape-bin"], "seed": [0, 1]}})");
  TrainOptions how;
  how.device = "cpu";
  how.threads = 1;
  how.out = folder / "start";
  EXPECT_EQ(run_grid(folder / "start.json", how, {}).missing, 0);
  how.out = folder / "cape";
  EXPECT_EQ(run_grid(folder / "cape.json", how, {}).missing, 0);
  EXPECT_EQ(read_config(folder / "cape/cape-bin_1").start_from, folder / "start/ce_1");
}

TEST(Grid, ChangedOptionsBadCellsAndDivergedOnesAreTold) {
  const Folder folder;
  testing::write_data(folder / "data", testing::risk_data(80, 3, 1));
  const std::string head = R"({"base": {"data": ")" + (folder / "data") + R"(", "hidden": [4], "epochs": )";
  const std::string vary = R"(}, "vary": {"lr": [0.1, 1e5], "model": ["mlp", "cnn"]}})";
  write_file(folder / "grid.json", head + "2" + vary);
  TrainOptions how;
  how.out = folder / "grid";
  how.device = "cpu";
  how.threads = 1;
  std::vector<std::string> complaints;
  const Hooks hooks{.complain = [&](const std::string& text) { complaints.push_back(text); }};
  const GridOutcome done = run_grid(folder / "grid.json", how, hooks);
  EXPECT_EQ(done.missing, 2);  // a cnn wants images
  EXPECT_EQ(done.busy, 0);
  EXPECT_EQ(done.diverged, 1);
  ASSERT_EQ(complaints.size(), 2U);
  EXPECT_NE(complaints[0].find("0.1_cnn"), std::string::npos) << complaints[0];
  write_file(folder / "grid.json", head + "3" + vary);
  EXPECT_THROW((void)run_grid(folder / "grid.json", how, hooks), InputError);
  for (const char* epochs : {"1.5", "true", "\"2\""}) {
    write_file(folder / "grid.json", head + epochs + vary);
    how.out = folder / "other";  // where no run of other options is in the way
    EXPECT_THROW((void)run_grid(folder / "grid.json", how, hooks), InputError) << epochs;
  }
}

}  // namespace
}  // namespace plumb::train
