#include "train/data.hpp"

#include <gtest/gtest.h>

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "support.hpp"

namespace plumb::train {
namespace {

using testing::complaint;
using testing::data_at;
using testing::Folder;

std::string idx(std::vector<int> sizes, const std::string& bytes) {
  std::string out{0, 0, 8, static_cast<char>(sizes.size())};
  for (const int n : sizes)
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>((n >> shift) & 255);
  return out + bytes;
}

TEST(Data, MnistFiles) {
  const Folder folder;
  std::string pixels;
  for (int i = 0; i < 10 * 6; ++i) pixels += static_cast<char>(4 * i);
  for (const char* part : {"train", "t10k"}) {
    write_file(folder / (std::string(part) + "-images-idx3-ubyte"), idx({10, 2, 3}, pixels));
    write_file(folder / (std::string(part) + "-labels-idx1-ubyte"),
               idx({10}, std::string("\0\1\2\3\4\5\6\7\x8\x9", 10)));
  }
  const Dataset d = load_dataset(data_at(folder.path()));
  EXPECT_EQ(d.classes, 10);
  EXPECT_EQ(d.train.size(), 8);  // a fifth is cut for validation
  EXPECT_EQ(d.validation.size(), 2);
  EXPECT_EQ(d.test.inputs.sizes().vec(), (std::vector<std::int64_t>{10, 1, 2, 3}));
  EXPECT_EQ(d.test.inputs[9][0][1][2].item<int>(), 236);
  EXPECT_EQ(d.test.votes.argmax(1)[7].item<int>(), 7);
  write_file(folder / "t10k-images-idx3-ubyte", idx({10, 2, 3}, pixels.substr(1)));
  EXPECT_NE(complaint(data_at(folder.path())).find("ends before it should"), std::string::npos);
  write_file(folder / "t10k-images-idx3-ubyte", "nonsense");
  EXPECT_NE(complaint(data_at(folder.path())).find("is not an IDX file"), std::string::npos);
}

TEST(Data, CifarBatches) {
  const Folder folder;
  for (const char* name :
       {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"}) {
    std::string bytes;
    for (int i = 0; i < 2; ++i) bytes.append(1, static_cast<char>(i + 3)).append(3072, static_cast<char>(i));
    bytes[1] = 77;
    write_file(folder / (std::string(name) + ".bin"), bytes);
  }
  const Dataset d = load_dataset(data_at(folder.path()));
  EXPECT_EQ(d.train.size() + d.validation.size(), 10);
  EXPECT_EQ(d.test.inputs.sizes().vec(), (std::vector<std::int64_t>{2, 3, 32, 32}));
  EXPECT_EQ(d.test.inputs[0][0][0][0].item<int>(), 77);
  EXPECT_EQ(d.test.votes.argmax(1)[1].item<int>(), 4);
  write_file(folder / "test_batch.bin", "short");
  EXPECT_NE(complaint(data_at(folder.path())).find("not a CIFAR-10 batch"), std::string::npos);
}

TEST(Data, TablesFromCsv) {
  const Folder folder;
  for (const char* part : {"train", "validation"}) {
    std::filesystem::create_directories(folder / part);
    write_file(folder / (std::string(part) + "/features.csv"), "a,b\n1,2\n3,4\n5,9\n");
    write_file(folder / (std::string(part) + "/labels.csv"), "label\n0\n1\n1\n");
  }
  const Dataset d = load_dataset(data_at(folder.path()));
  EXPECT_EQ(d.classes, 2);
  EXPECT_EQ(d.train.inputs[2][1].item<float>(), 9);
  EXPECT_EQ(d.train.votes.sum(0)[1].item<float>(), 2);
  EXPECT_FALSE(d.test.inputs.defined());
  // Standardised: mean 0 and deviation 1 of each column.
  const torch::Tensor x = d.normalisation.apply(d.train.inputs);
  EXPECT_NEAR(x.mean().item<double>(), 0, 1e-6);
  EXPECT_NEAR(x.square().mean().item<double>(), 1, 1e-6);
  write_file(folder / "validation/labels.csv", "label\n0\n1\n2\n");
  EXPECT_NE(complaint(data_at(folder.path())).find("the label 2 in row 2 of " + (folder / "validation")),
            std::string::npos);
  write_file(folder / "train/labels.csv", "label\n0\n2\n1\n");
  EXPECT_EQ(load_dataset(data_at(folder.path())).train.votes.size(1), 3);
  write_file(folder / "train/labels.csv", "label\n0\n1\n1\n");
  write_file(folder / "validation/labels.csv", "label\n0\n1\n1.5\n");
  EXPECT_NE(complaint(data_at(folder.path())).find("1.5 is not a class index"), std::string::npos);
  write_file(folder / "validation/labels.csv", "label\n0\n1\n");
  EXPECT_NE(complaint(data_at(folder.path())), "");
}

// One class more in the test part is a mistake, unless votes have a column for it.
TEST(Data, ClassesThatTrainingNeverShows) {
  const Folder folder;
  const auto write = [&](const std::string& file, const torch::Tensor& test) {
    for (const char* part : {"train", "validation", "test"}) {
      std::filesystem::create_directories(folder / part);
      write_tensor(folder / (std::string(part) + "/images.npy"), torch::rand({3, 1, 2, 2}));
      write_tensor(folder / (std::string(part) + "/" + file),
                   std::string(part) == "test" ? test : test.clamp_max(1));
    }
  };
  write("labels.npy", torch::tensor({0.0f, 1.0f, 2.0f}));
  EXPECT_NE(complaint(data_at(folder.path())).find("the label 2 in row 2 of " + (folder / "test")),
            std::string::npos);
  torch::Tensor masks = torch::tensor({0.0f, 1.0f}).repeat({3, 2, 1});
  write("labels.npy", masks);
  EXPECT_EQ(complaint(data_at(folder.path())), "");
  masks[1][1][0] = 4;
  write("labels.npy", masks);
  EXPECT_NE(complaint(data_at(folder.path())).find("the label 4 in row 1 of " + (folder / "test")),
            std::string::npos);
  const torch::Tensor votes = torch::tensor({{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {1.0f, 0.0f, 0.0f}});
  write("counts.npy", votes);
  write_tensor(folder / "test/counts.npy", torch::eye(3));
  EXPECT_EQ(complaint(data_at(folder.path())), "");
}

TEST(Data, ColoursInTheLastAxisAreRefused) {
  const Folder folder;
  const auto said = [&](std::vector<std::int64_t> shape) {
    Dataset d = testing::risk_data(20, 3, 1);
    for (Split* s : {&d.train, &d.validation, &d.test}) {
      shape[0] = s->size();
      s->inputs = torch::rand(shape);
    }
    std::filesystem::remove_all(folder / "data");
    testing::write_data(folder / "data", d);
    return complaint(data_at(folder / "data"));
  };
  for (const std::int64_t colours : {1, 3, 4}) {
    const std::string text = said({0, 6, 5, colours});
    EXPECT_NE(text.find("train/images.npy is of shape 20 x 6 x 5 x " + std::to_string(colours)),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("transpose(0, 3, 1, 2)"), std::string::npos);
  }
  EXPECT_EQ(said({0, 3, 6, 5}), "");
  EXPECT_EQ(said({0, 3, 6, 3}), "");  // three columns
  EXPECT_EQ(said({0, 8, 4, 4}), "");  // eight channels of small images
}

TEST(Data, NumbersAreNotLearnedFromClasses) {
  const Folder folder;
  Dataset d = testing::risk_data(20, 3, 1);
  testing::write_data(folder / "data", d);
  TrainOptions o = data_at(folder / "data");
  for (const char* head : {"gaussian", "laplace"}) {
    o.head = head;
    EXPECT_NE(complaint(o).find("counts.npy holds classes; save numeric targets as targets.npy"),
              std::string::npos);
    for (const char* targets : {"counts", "labels", "ratings"}) {
      TrainOptions named = o;
      named.targets = targets;
      EXPECT_THROW(check_options(named), InputError) << targets;
    }
  }
  for (Split* s : {&d.train, &d.validation, &d.test}) s->targets = s->inputs.slice(1, 0, 1);
  testing::write_data(folder / "data", d);
  EXPECT_EQ(complaint(o), "");
  EXPECT_EQ(load_dataset(o).task, Task::regression);
}

TEST(Data, LabelsThatAreNamesOrBeyondTheLastClass) {
  const Folder folder;
  for (const char* part : {"train", "validation"}) {
    std::filesystem::create_directories(folder / part);
    write_file(folder / (std::string(part) + "/features.csv"), "a,b\n1,2\n3,4\n5,9\n");
    write_file(folder / (std::string(part) + "/labels.csv"), "label\n0\ncat\ndog\n");
  }
  EXPECT_NE(
      complaint(data_at(folder.path())).find("the label \"cat\" is a name, and training needs class indices"),
      std::string::npos);
  write_file(folder / "train/labels.csv", "label\n0\n1\n1000000\n");
  EXPECT_NE(complaint(data_at(folder.path())).find("the label 1000000 is beyond the last class index, 65535"),
            std::string::npos)
      << complaint(data_at(folder.path()));
  write_file(folder / "train/labels.csv", "label\n0\n1\n?\n");
  EXPECT_NE(complaint(data_at(folder.path())).find("is not a number"), std::string::npos);
}

TEST(Data, RatingsBecomeVotes) {
  const Folder folder;
  for (const char* part : {"train", "validation"}) {
    std::filesystem::create_directories(folder / part);
    write_tensor(folder / (std::string(part) + "/features.npy"), torch::rand({2, 3}));
    write_tensor(folder / (std::string(part) + "/ratings.npy"),
                 torch::tensor({{0.0f, 2.0f, 2.0f}, {-1.0f, 1.0f, NAN}}));
  }
  const Dataset d = load_dataset(data_at(folder.path()));
  EXPECT_TRUE(torch::equal(d.train.votes, torch::tensor({{1.0f, 0.0f, 2.0f}, {0.0f, 1.0f, 0.0f}})));
  // Counts come first by themselves, and ratings where they are asked for.
  for (const char* part : {"train", "validation"})
    write_tensor(folder / (std::string(part) + "/counts.npy"), torch::tensor({{5.0f, 0.0f}, {0.0f, 5.0f}}));
  TrainOptions o = data_at(folder.path());
  EXPECT_EQ(load_dataset(o).train.votes.sum().item<double>(), 10);
  o.targets = "ratings";
  EXPECT_EQ(load_dataset(o).train.votes.sum().item<double>(), 4);
}

TEST(Data, LabelsFarBeyondWhatTrainingShows) {
  const Folder folder;
  for (const char* part : {"train", "validation"}) {
    std::filesystem::create_directories(folder / part);
    write_tensor(folder / (std::string(part) + "/features.npy"), torch::rand({4, 3}));
    write_tensor(folder / (std::string(part) + "/labels.npy"), torch::tensor({0.0f, 1.0f, 0.0f, 60000.0f}));
  }
  EXPECT_NE(complaint(data_at(folder.path())).find("up to class 60000"), std::string::npos);
}

TEST(Data, WhatIsMissingOrBrokenIsSaid) {
  const Folder folder;
  testing::write_data(folder / "good", testing::risk_data(20, 3, 1));
  TrainOptions resized = data_at(folder / "good");
  resized.image_size = 8;
  EXPECT_NE(complaint(resized).find(".image_size resizes image files"), std::string::npos);
  EXPECT_NE(complaint(data_at(folder / "nowhere")).find("there is no folder"), std::string::npos);
  EXPECT_NE(complaint(data_at(folder.path())).find("no data in a known layout"), std::string::npos);
  Dataset d = testing::risk_data(20, 3, 1);
  d.train.inputs[3][1] = NAN;
  testing::write_data(folder / "nan", d);
  EXPECT_NE(complaint(data_at(folder / "nan")).find("row 3: nan is not a finite"), std::string::npos);
  d = testing::risk_data(20, 3, 1);
  d.test.inputs = torch::rand({2000, 4});
  testing::write_data(folder / "shape", d);
  EXPECT_NE(complaint(data_at(folder / "shape")).find("of shape"), std::string::npos);
}

TEST(Data, PartsThatDoNotFitTogether) {
  const Folder folder;
  const auto complaint_about = [&](auto change) {
    Dataset d = testing::risk_data(20, 3, 1);
    d.test = testing::risk_split(20, 3, 9);
    change(d);
    std::filesystem::remove_all(folder / "data");
    testing::write_data(folder / "data", d);
    return complaint(data_at(folder / "data"));
  };
  const auto expect = [&](const std::string& word, auto change) {
    const std::string said = complaint_about(change);
    EXPECT_NE(said.find(word), std::string::npos) << said;
  };
  EXPECT_EQ(complaint_about([](Dataset&) {}), "");
  expect("not of one type", [](Dataset& d) { d.test.inputs = torch::ones({20, 3}, torch::kUInt8); });
  expect("20 rows but ", [](Dataset& d) { d.test.votes = torch::ones({19, 2}); });
  expect("are for 2 classes", [](Dataset& d) { d.test.votes = torch::ones({20, 3}); });
  expect("there are no votes in test/", [](Dataset& d) { d.test.votes = torch::zeros({20, 2}); });
  expect("row 4: -1 is not a number of votes", [](Dataset& d) { d.test.votes[4][1] = -1; });
  expect("of shape 20 x 1", [](Dataset& d) { d.train.votes = torch::ones({20, 1}); });
  expect("row 2: 1.5 lies outside", [](Dataset& d) { d.train.truth[2] = 1.5; });
  expect("must be of shape 20", [](Dataset& d) { d.train.truth = torch::full({20, 5}, 0.2); });
  expect("nothing to learn from one class", [](Dataset& d) {
    d.train.votes = torch::tensor({1.0f, 0.0f}).repeat({20, 1});
  });
  expect("not of the same kind", [](Dataset& d) { d.train.votes = torch::ones({20, 2, 4, 4}); });
  expect("labels of pixels need images", [](Dataset& d) {
    for (Split* s : {&d.train, &d.validation, &d.test}) {
      s->votes = torch::ones({s->size(), 2, 4, 4});
      s->truth = torch::Tensor();
    }
  });
  expect("nothing to learn in", [](Dataset& d) { d.train.votes = torch::Tensor(); });
}

}  // namespace
}  // namespace plumb::train
