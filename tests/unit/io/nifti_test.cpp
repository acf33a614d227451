#include "plumb/io/nifti.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "unit/io/files.hpp"
#include "unit/io/volumes.hpp"

namespace plumb {
namespace {

Volume parse(const std::string& bytes) {
  const auto kept = std::make_shared<const std::string>(bytes);
  return parse_nifti(as_span(*kept), kept, "a.nii");
}
std::string said(const std::string& bytes) {
  return complaint([&] { (void)parse(bytes); });
}
/// In the order of the file: x fastest.
std::vector<double> stored_order(Array a) {
  std::reverse(a.shape.begin(), a.shape.end());
  std::reverse(a.strides.begin(), a.strides.end());
  return values_of(a);
}

TEST(Nifti, TypesVersionsByteOrdersAndPacking) {
  const std::vector<double> values = {0, 1, 2, 3, 100, 7};
  for (const int version : {1, 2})
    for (const bool big : {false, true})
      for (const NiftiType& type : kNiftiTypes)
        for (const bool gz : {false, true}) {
          const NiftiFile file{
              .version = version, .big = big, .type = type, .shape = {3, 2}, .values = values};
          const Volume v = parse(gz ? gzipped(file.bytes()) : file.bytes());
          EXPECT_EQ(v.array.shape, (std::vector<std::int64_t>{3, 2}));
          EXPECT_STREQ(dtype_name(v.array.dtype), type.name);
          EXPECT_EQ(stored_order(v.array), values) << version << big << type.name << gz;
          EXPECT_EQ(values_of(v.array), (std::vector<double>{0, 3, 1, 100, 2, 7}));  // x is the first axis
        }
}

TEST(Nifti, ScaledIntegersReachOneExactly) {
  NiftiFile file{.type = kNiftiTypes[0], .shape = {3}, .values = {0, 51, 255}};
  file.slope = 1.0F / 255;
  const Array a = parse(file.bytes()).array;
  EXPECT_EQ(a.dtype, DType::f32);
  EXPECT_EQ(values_of(a), (std::vector<double>{0, static_cast<float>(51.0 * (1.0F / 255)), 1}));
  file.version = 2;
  file.slope = 0.5;
  file.intercept = -1;
  EXPECT_EQ(parse(file.bytes()).array.dtype, DType::f64);
  EXPECT_EQ(values_of(parse(file.bytes()).array), (std::vector<double>{-1, 24.5, 126.5}));
  file.slope = 0;  // not scaled
  EXPECT_EQ(values_of(parse(file.bytes()).array), (std::vector<double>{0, 51, 255}));
}

TEST(Nifti, AffineOfSformQformAndVoxelSizes) {
  NiftiFile file{.shape = {1}, .values = {0}};
  file.voxel = {2, 3, 4};
  EXPECT_EQ(*parse(file.bytes()).affine, (Affine{2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0}));
  file.qform = 1;
  file.quaternion = {0, 0, 1};  // half a turn about z
  file.offset_mm = {5, 6, 7};
  EXPECT_EQ(*parse(file.bytes()).affine, (Affine{-2, 0, 0, 5, 0, -3, 0, 6, 0, 0, 4, 7}));
  file.turn = -1;
  EXPECT_EQ((*parse(file.bytes()).affine)[10], -4);
  file.sform = 1;
  file.rows = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(*parse(file.bytes()).affine, (Affine{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST(Nifti, SeveralGzipMembersAndAnExtension) {
  NiftiFile file{.shape = {4}, .values = {1, 2, 3, 4}};
  file.extension = 16;
  const std::string bytes = file.bytes();
  EXPECT_EQ(values_of(parse(bytes).array), file.values);
  EXPECT_EQ(values_of(parse(gzipped(bytes.substr(0, 300)) + gzipped(bytes.substr(300))).array), file.values);
}

TEST(Nifti, WhatIsWrongIsSaid) {
  const NiftiFile file{.type = kNiftiTypes[3], .shape = {2, 2}, .values = {1, 2, 3, 4}};
  const std::string good = file.bytes();
  EXPECT_NE(said("x").find("a.nii is not a NIfTI file"), std::string::npos);
  EXPECT_NE(said(std::string(400, 'x')).find("is not a NIfTI file"), std::string::npos);
  EXPECT_EQ(
      said(good.substr(0, good.size() - 1)),
      "a.nii is damaged: its header (2 x 2 of float32) requires 16 bytes of voxels, but the file has 15");
  EXPECT_NE(said(good + "x").find("but the file has 17"), std::string::npos);
  const std::string packed = gzipped(good);
  EXPECT_EQ(said(packed.substr(0, packed.size() - 12)), "a.nii is damaged: its compressed data end early");
  EXPECT_EQ(said(gzipped(good + "x")), "a.nii is damaged: it decompresses to more than its header declares");
  std::string broken = packed;
  broken[packed.size() - 6] ^= 1;  // of the checksum
  EXPECT_EQ(said(broken), "a.nii is damaged: its compressed data cannot be decompressed");
  std::string huge = good;  // a false header allocates no memory
  for (const int axis : {1, 2, 3}) std::memcpy(huge.data() + 40 + 2 * axis, "\xff\x7f", 2);
  huge[40] = 3;
  EXPECT_NE(said(huge).find("but the file has 16"), std::string::npos);
  EXPECT_NE(said(gzipped(huge)).find("more than the file can hold"), std::string::npos);
  std::string pair = good;
  std::memcpy(pair.data() + 344, "ni1", 4);
  EXPECT_NE(said(pair).find(".hdr and .img"), std::string::npos);
  std::string colour = good;
  colour[70] = 32;
  EXPECT_NE(said(colour).find("data type 32"), std::string::npos);
  std::string axes = good;
  axes[40] = 9;
  EXPECT_EQ(said(axes), "a.nii is damaged: its header declares 9 axes");
  std::string empty = good;
  empty[42] = 0;
  EXPECT_EQ(said(empty), "a.nii is damaged: its header declares the shape 0");
}

}  // namespace
}  // namespace plumb
