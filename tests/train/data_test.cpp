#include "train/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#ifdef PLUMB_PNG
#include <png.h>
#endif
#ifdef PLUMB_JPEG
#include <jpeglib.h>
#endif

#include "plumb/data/check.hpp"
#include "plumb/io/atomic_file.hpp"
#include "plumb/io/png.hpp"
#include "plumb/simulate/scenarios.hpp"
#include "support.hpp"

namespace plumb::train {
namespace {

using testing::Folder;

TrainOptions data_at(const std::string& folder) {
  TrainOptions o;
  o.data = folder;
  return o;
}

std::string complaint(const TrainOptions& o) {
  try {
    (void)load_dataset(o);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

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
    EXPECT_NE(complaint(o).find("counts.npy holds classes; save the numbers as targets.npy"),
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
  EXPECT_NE(complaint(resized).find("--image-size resizes image files"), std::string::npos);
  EXPECT_NE(complaint(data_at(folder / "nowhere")).find("there is no folder"), std::string::npos);
  EXPECT_NE(complaint(data_at(folder.path())).find("nothing that training understands"), std::string::npos);
  Dataset d = testing::risk_data(20, 3, 1);
  d.train.inputs[3][1] = NAN;
  testing::write_data(folder / "nan", d);
  EXPECT_NE(complaint(data_at(folder / "nan")).find("row 3: nan is no finite number"), std::string::npos);
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
  expect("not a single vote in test/", [](Dataset& d) { d.test.votes = torch::zeros({20, 2}); });
  expect("row 4: -1 is no number of votes", [](Dataset& d) { d.test.votes[4][1] = -1; });
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

#if defined(PLUMB_PNG) && defined(PLUMB_JPEG)
void write_png(const std::string& path, const std::vector<std::uint8_t>& rgb, unsigned width,
               unsigned height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.format = PNG_FORMAT_RGB;
  image.width = width;
  image.height = height;
  ASSERT_NE(png_image_write_to_file(&image, path.c_str(), 0, rgb.data(), 0, nullptr), 0);
}

void write_jpeg(const std::string& path, std::vector<std::uint8_t> rgb, unsigned width, unsigned height) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  jpeg_compress_struct info;
  jpeg_error_mgr error;
  info.err = jpeg_std_error(&error);
  jpeg_create_compress(&info);
  jpeg_stdio_dest(&info, file);
  info.image_width = width;
  info.image_height = height;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = rgb.data() + std::size_t{info.next_scanline} * width * 3;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::fclose(file);
}

TEST(Data, FoldersOfPngAndJpeg) {
  const Folder folder;
  for (const char* part : {"train", "validation"}) {
    const std::string at = folder / part;
    std::filesystem::create_directories(at);
    std::vector<std::uint8_t> png(6 * 4 * 3, 10);
    png[3] = 200;  // red of the second pixel of the first row
    write_png(at + "/a.png", png, 6, 4);
    write_jpeg(at + "/b.jpg", std::vector<std::uint8_t>(6 * 4 * 3, 120), 6, 4);
    write_file(at + "/labels.csv", "file,label\na.png,0\nb.jpg,1\n");
  }
  TrainOptions o = data_at(folder.path());
  const Dataset d = load_dataset(o);
  EXPECT_EQ(d.train.inputs.sizes().vec(), (std::vector<std::int64_t>{2, 3, 4, 6}));
  EXPECT_EQ(d.train.inputs[0][0][0][1].item<int>(), 200);
  EXPECT_EQ(d.train.inputs[0][1][0][1].item<int>(), 10);
  EXPECT_NEAR(d.train.inputs[1].to(torch::kFloat32).mean().item<double>(), 120, 1);  // JPEG is not exact
  o.image_size = 2;
  EXPECT_EQ(load_dataset(o).train.inputs.sizes().vec(), (std::vector<std::int64_t>{2, 3, 2, 2}));
  write_file(folder / "train/b.jpg", "this is no JPEG");
  EXPECT_NE(complaint(o).find("as JPEG"), std::string::npos);
  write_file(folder / "train/a.png", "this is no PNG");
  EXPECT_NE(complaint(o).find("save the picture anew"), std::string::npos);
  write_png(folder / "train/a.png", std::vector<std::uint8_t>(6 * 4 * 3, 10), 6, 4);
  write_jpeg(folder / "train/b.jpg", std::vector<std::uint8_t>(6 * 4 * 3, 120), 6, 4);
  std::filesystem::resize_file(folder / "train/b.jpg",
                               std::filesystem::file_size(folder / "train/b.jpg") - 12);
  EXPECT_NE(complaint(o).find("cut short"), std::string::npos);
  write_file(folder / "train/labels.csv", "file,label\na.png,0\nc.png,1\n");
  EXPECT_NE(complaint(o).find("which is not there"), std::string::npos);
}

// 100 faces of 2 x 2 pixels; the red of each is its age.
void write_faces(const Folder& folder) {
  for (int age = 0; age < 100; ++age) {
    const std::vector<std::uint8_t> pixels(2 * 2 * 3, static_cast<std::uint8_t>(age));
    const std::string ending = age % 2 == 0 ? ".png" : ".jpg.chip.png";
    write_file(folder / (std::to_string(age) + "_1_3_20170112213500903" + ending),
               encode_png(pixels, 2, 2, 3));
  }
}

TEST(Data, UtkFaceGivesAges) {
  const Folder folder;
  write_faces(folder);
  write_file(folder / "readme.txt", "not an image");
  TrainOptions o = data_at(folder.path());
  const Dataset d = load_dataset(o);
  EXPECT_EQ(d.task, Task::regression);
  EXPECT_EQ(d.outputs, 1);
  EXPECT_EQ(d.train.size(), 70);  // 16641, 4738 and 2329 of 23708
  EXPECT_EQ(d.validation.size(), 20);
  EXPECT_EQ(d.test.size(), 10);
  std::vector<int> seen;
  for (const Split* s : {&d.train, &d.validation, &d.test}) {
    for (std::int64_t i = 0; i < s->size(); ++i) {
      seen.push_back(static_cast<int>(s->targets[i][0].item<float>()));
      EXPECT_EQ(s->inputs[i][0][0][0].item<int>(), seen.back());
    }
  }
  std::sort(seen.begin(), seen.end());
  for (int age = 0; age < 100; ++age) EXPECT_EQ(seen[static_cast<std::size_t>(age)], age);
  EXPECT_TRUE(torch::equal(load_dataset(o).test.targets, d.test.targets));
  o.seed = 1;
  EXPECT_FALSE(torch::equal(load_dataset(o).test.targets, d.test.targets));
  o.data_seed = 0;  // members of an ensemble learn from the same items
  EXPECT_TRUE(torch::equal(load_dataset(o).test.targets, d.test.targets));
  o.method = "cape-bin";
  EXPECT_NE(complaint(o).find("give --scenario"), std::string::npos);
  o = data_at(folder.path());
  o.validation_share = 0.4;
  EXPECT_NE(complaint(o).find("--validation-share is for"), std::string::npos);
}

TEST(Data, UtkFaceScenariosDrawOutcomes) {
  const Folder folder;
  write_faces(folder);
  TrainOptions o = data_at(folder.path());
  for (const Scenario scenario : kScenarios) {
    o.scenario = scenario_name(scenario);
    const Dataset d = load_dataset(o);
    EXPECT_EQ(d.classes, 2);
    double sum = 0, expected = 0, variance = 0;
    for (const Split* s : {&d.train, &d.validation, &d.test}) {
      EXPECT_TRUE((s->votes.sum(1) == 1).all().item<bool>());
      for (std::int64_t i = 0; i < s->size(); ++i) {
        const double risk = scenario_risk(scenario, s->inputs[i][0][0][0].item<int>());
        EXPECT_EQ(s->truth[i].item<float>(), static_cast<float>(risk));
        sum += s->votes[i][1].item<double>();
        expected += risk;
        variance += risk * (1 - risk);
      }
    }
    EXPECT_NEAR(sum, expected, 4 * std::sqrt(variance)) << o.scenario;  // four standard deviations
  }
  // Another file changes the outcome of none.
  const Dataset before = load_dataset(o);
  write_file(folder / "7_0_0_1.png", encode_png(std::vector<std::uint8_t>(12, 200), 2, 2, 3));
  const Dataset after = load_dataset(o);
  const auto outcomes = [](const Dataset& d) {
    std::map<int, float> by_age;
    for (const Split* s : {&d.train, &d.validation, &d.test})
      for (std::int64_t i = 0; i < s->size(); ++i)
        by_age[s->inputs[i][0][0][0].item<int>()] = s->votes[i][1].item<float>();
    by_age.erase(200);
    return by_age;
  };
  EXPECT_EQ(outcomes(before), outcomes(after));
}

TEST(Data, UtkFaceNamesWithoutAnAge) {
  const Folder folder;
  write_faces(folder);
  TrainOptions o = data_at(folder.path());
  const std::string picture = encode_png(std::vector<std::uint8_t>(12, 3), 2, 2, 3);
  write_file(folder / "39_1_20170116174525125.jpg.chip.png", picture);  // no race: the age is still there
  EXPECT_EQ(complaint(o), "");
  for (const char* name : {"portrait.png", "_1_2_3.png", "117_0_0_1.png", "-3_0_0_1.png"}) {
    write_file(folder / name, picture);
    EXPECT_NE(complaint(o).find(std::string(name) + " does not begin with an age"), std::string::npos);
    std::filesystem::remove(folder / name);
  }
  write_file(folder / "5_0_0_1.png", encode_png(std::vector<std::uint8_t>(18, 3), 3, 2, 3));
  EXPECT_NE(complaint(o).find("5_0_0_1.png is 3 x 3 x 2"), std::string::npos);
  o.image_size = 4;
  EXPECT_EQ(load_dataset(o).train.inputs.size(3), 4);
  testing::write_data(folder / "table", testing::risk_data(20, 3, 1));
  o = data_at(folder / "table");
  o.scenario = "linear";
  EXPECT_NE(complaint(o).find("no folder of it"), std::string::npos);
}
#endif

}  // namespace
}  // namespace plumb::train
