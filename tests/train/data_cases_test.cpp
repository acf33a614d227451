// Images with masks: manifests and folders.
#include <gtest/gtest.h>

#include <array>

#include "plumb/io/atomic_file.hpp"
#include "plumb/io/pictures.hpp"
#include "support.hpp"
#include "train/data.hpp"

namespace plumb::train {
namespace {

using testing::complaint;
using testing::data_at;
using testing::Folder;

constexpr std::int64_t kHeight = 4, kWidth = 6;

std::vector<float> image(int seed) {
  std::vector<float> out;
  for (int i = 0; i < kHeight * kWidth; ++i) out.push_back(static_cast<float>((seed * 31 + i * 7) % 17));
  return out;
}
std::vector<std::uint8_t> mask(int seed) {
  std::vector<std::uint8_t> out;
  for (int i = 0; i < kHeight * kWidth; ++i) out.push_back((seed * 5 + i) % 3 == 0 ? 1 : 0);
  return out;
}

/// train/ and test/ with a cases.csv each; the second rater did not rate case 1.
void write_manifests(const Folder& f) {
  for (const std::string part : {"train", "test"}) {
    std::filesystem::create_directories(f / part);
    std::string table = "case,image,rater_1,rater_2,probs\n";
    for (int i = 0; i < 4; ++i) {
      const std::string n = std::to_string(i), at = f / (part + "/");
      write_npy(at + "i" + n + ".npy", image(i), std::array{kHeight, kWidth});
      write_npy(at + "a" + n + ".npy", mask(i), std::array{kHeight, kWidth});
      write_npy(at + "b" + n + ".npy", mask(i + 1), std::array{kHeight, kWidth});
      table +=
          "c" + n + ",i" + n + ".npy,a" + n + ".npy," + (i == 1 ? "" : "b" + n + ".npy") + ",later.npy\n";
    }
    write_file(f / (part + "/cases.csv"), table);
  }
}

TEST(DataCases, ManifestOfImagesAndMasks) {
  const Folder f;
  write_manifests(f);
  TrainOptions o = data_at(f.path());
  o.validation_share = 0.25;
  const Dataset d = load_dataset(o);
  EXPECT_EQ(d.task, Task::segmentation);
  EXPECT_EQ(d.classes, 2);
  EXPECT_EQ(d.train.size() + d.validation.size(), 4);
  ASSERT_EQ(d.test.inputs.sizes().vec(), (std::vector<std::int64_t>{4, 1, kHeight, kWidth}));
  ASSERT_EQ(d.test.votes.sizes().vec(), (std::vector<std::int64_t>{4, 2, kHeight, kWidth}));
  for (int i = 0; i < 4; ++i) {
    const std::vector<float> x = image(i);
    const std::vector<std::uint8_t> a = mask(i), b = mask(i + 1);
    for (std::int64_t at = 0; at < kHeight * kWidth; ++at) {
      const std::int64_t row = at / kWidth, column = at % kWidth;
      EXPECT_EQ(d.test.inputs[i][0][row][column].item<float>(), x[at]);
      const int ones = a[at] + (i == 1 ? 0 : b[at]), all = i == 1 ? 1 : 2;
      EXPECT_EQ(d.test.votes[i][1][row][column].item<float>(), static_cast<float>(ones));
      EXPECT_EQ(d.test.votes[i][0][row][column].item<float>(), static_cast<float>(all - ones));
    }
  }
}

/// The slices of a volume are items.
TEST(DataCases, VolumesSliceBySlice) {
  const Folder f;
  std::filesystem::create_directories(f / "train");
  std::vector<float> x;
  std::vector<std::uint8_t> y;
  constexpr std::int64_t kSlices = 5;
  for (int i = 0; i < kHeight * kWidth * kSlices; ++i) {
    x.push_back(static_cast<float>(i));
    y.push_back(i % 4 == 0 ? 1 : 0);
  }
  write_npy(f / "train/x.npy", x, std::array{kHeight, kWidth, kSlices});
  write_npy(f / "train/y.npy", y, std::array{kHeight, kWidth, kSlices});
  write_file(f / "train/cases.csv", "case,image,mask\nv,x.npy,y.npy\n");
  std::int64_t classes = 0;
  Task task = Task::classification;
  const Split s = read_cases(f / "train", {}, task, classes);
  ASSERT_EQ(s.inputs.sizes().vec(), (std::vector<std::int64_t>{kSlices, 1, kHeight, kWidth}));
  EXPECT_EQ(s.inputs[3][0][1][2].item<float>(), static_cast<float>((1 * kWidth + 2) * kSlices + 3));
  EXPECT_EQ(s.votes[4][1].sum().item<float>() + s.votes[4][0].sum().item<float>(), kHeight * kWidth);
}

#ifdef PLUMB_PNG
TEST(DataCases, FoldersOfPictures) {
  const Folder f;
  for (const char* name : {"train/images", "train/masks_anna", "train/masks_ben"})
    std::filesystem::create_directories(f / name);
  for (int i = 0; i < 3; ++i) {
    const std::string file = "/p" + std::to_string(i) + ".png";
    const std::vector<std::uint8_t> grey(kHeight * kWidth, static_cast<std::uint8_t>(40 * i));
    write_file(f / ("train/images" + file), encode_png(grey, kHeight, kWidth, 1));
    write_file(f / ("train/masks_anna" + file), encode_png(mask(i), kHeight, kWidth, 1));
    if (i > 0) write_file(f / ("train/masks_ben" + file), encode_png(mask(i + 1), kHeight, kWidth, 1));
  }
  std::int64_t classes = 0;
  Task task = Task::classification;
  const Split s = read_cases(f / "train", {}, task, classes);
  ASSERT_EQ(s.inputs.sizes().vec(), (std::vector<std::int64_t>{3, 3, kHeight, kWidth}));
  EXPECT_EQ(s.inputs[2][1][0][0].item<int>(), 80);
  EXPECT_EQ(s.votes[0].sum().item<float>(), kHeight * kWidth);
  EXPECT_EQ(s.votes[1].sum().item<float>(), 2 * kHeight * kWidth);
  std::filesystem::remove(f / "train/masks_anna/p0.png");
  EXPECT_NE(complaint(data_at(f.path())).find("p0.png has no mask"), std::string::npos);
}
#endif

TEST(DataCases, WhatDoesNotFitIsRefused) {
  const Folder f;
  write_manifests(f);
  TrainOptions o = data_at(f.path());
  o.targets = "counts";
  EXPECT_NE(complaint(o).find("masks of raters"), std::string::npos);
  o = data_at(f.path());
  o.image_size = 32;
  EXPECT_NE(complaint(o).find("images with masks"), std::string::npos);
  o = data_at(f.path());
  write_npy(f / "train/a2.npy", std::vector<std::uint8_t>(12), std::array<std::int64_t, 2>{4, 3});
  EXPECT_NE(complaint(o).find("case c2: "), std::string::npos);
  write_npy(f / "train/i2.npy", std::vector<float>(12), std::array<std::int64_t, 2>{4, 3});
  EXPECT_NE(complaint(o).find("images must be of one size"), std::string::npos);
  write_file(f / "train/cases.csv", "case,picture,mask\nv,x.npy,y.npy\n");
  EXPECT_NE(complaint(o).find("no column \"image\""), std::string::npos);
}

}  // namespace
}  // namespace plumb::train
