#include "train/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#ifdef PLUMB_PNG
#include <png.h>
#endif
#ifdef PLUMB_JPEG
#include <jpeglib.h>
#endif

#include "plumb/io/atomic_file.hpp"
#include "plumb/io/pictures.hpp"
#include "plumb/simulate/scenarios.hpp"
#include "support.hpp"

namespace plumb::train {
namespace {

using testing::complaint;
using testing::data_at;
using testing::Folder;

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
  write_file(folder / "train/b.jpg", "this is not a JPEG");
  EXPECT_NE(complaint(o).find("as JPEG"), std::string::npos);
  write_file(folder / "train/a.png", "this is not a PNG");
  EXPECT_NE(complaint(o).find("save the picture again"), std::string::npos);
  write_png(folder / "train/a.png", std::vector<std::uint8_t>(6 * 4 * 3, 10), 6, 4);
  write_jpeg(folder / "train/b.jpg", std::vector<std::uint8_t>(6 * 4 * 3, 120), 6, 4);
  std::filesystem::resize_file(folder / "train/b.jpg",
                               std::filesystem::file_size(folder / "train/b.jpg") - 12);
  EXPECT_NE(complaint(o).find("truncated"), std::string::npos);
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
  EXPECT_NE(complaint(o).find("give .scenario"), std::string::npos);
  o = data_at(folder.path());
  o.validation_share = 0.4;
  EXPECT_NE(complaint(o).find(".validation_share is for"), std::string::npos);
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
  EXPECT_NE(complaint(o).find("is not a UTKFace folder"), std::string::npos);
}
#endif

}  // namespace
}  // namespace plumb::train
