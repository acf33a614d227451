#include "plumb/io/nifti_write.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "io/gzip.hpp"
#include "plumb/io/mapped_file.hpp"
#include "unit/io/files.hpp"
#include "unit/io/volumes.hpp"

namespace plumb {
namespace {

std::string text_of(const std::string& path) {
  const auto file = MappedFile::open(path);
  return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
}

std::string unpacked(const std::string& packed, std::size_t size) {
  std::string out(size + 1, '\0');
  z_stream s{};
  inflateInit2(&s, 31);
  s.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  s.avail_in = static_cast<uInt>(packed.size());
  s.next_out = reinterpret_cast<Bytef*>(out.data());
  s.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&s, Z_FINISH), Z_STREAM_END) << "one member";
  EXPECT_EQ(s.avail_in, 0U);
  out.resize(s.total_out);
  inflateEnd(&s);
  return out;
}

NiftiFile example(int version, bool big) {
  NiftiFile file{.version = version, .big = big, .type = kNiftiTypes[1], .shape = {3, 2}};
  file.values = {0, 1, 2, 3, 4, 5};
  file.slope = 0.25;
  file.intercept = -3;
  file.sform = 2;
  file.rows = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  file.voxel = {2, 3, 4};
  file.extension = 32;
  return file;
}

TEST(NiftiWrite, HeaderAndExtensionsStayExceptTheTypeOfVoxels) {
  const TempDir dir;
  const std::vector<float> f32{0.5F, 0.25F, 1, 0, 0.125F, 0.75F};
  const std::vector<double> f64(f32.begin(), f32.end());
  for (const int version : {1, 2})
    for (const bool big : {false, true})
      for (const bool wide : {false, true})
        for (const char* const name : {"out.nii", "out.nii.gz"}) {
          std::string given = example(version, big).bytes();
          const std::size_t first = version == 1 ? 348 : 540, begin = first + 4 + 32;
          for (std::size_t i = first; i < begin; ++i)
            given[i] = static_cast<char>(i);  // an extension's bytes
          const NiftiHead head = nifti_head(as_span(name[7] == '\0' ? given : gzipped(given)), "given");
          ASSERT_EQ(head.bytes.size(), begin);
          const NiftiHead plain = float_head(head, wide ? DType::f64 : DType::f32);
          write_nifti(dir / name, plain, wide ? std::as_bytes(std::span(f64)) : std::as_bytes(std::span(f32)),
                      2);
          const auto file = MappedFile::open(dir / name);
          const Volume v = parse_nifti(file->bytes(), file, name);
          EXPECT_EQ(v.array.dtype, wide ? DType::f64 : DType::f32);
          EXPECT_EQ(values_of(v.array), (std::vector<double>{0.5, 0, 0.25, 0.125, 1, 0.75}));
          EXPECT_EQ((*v.affine), (Affine{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
          const std::string written = text_of(dir / name);
          const std::string all =
              name[7] == '\0' ? written : unpacked(written, begin + f64.size() * sizeof(double));
          // Only these bytes may differ: type and bits, slope and intercept.
          const std::size_t type = version == 1 ? 70 : 12, slope = version == 1 ? 112 : 176,
                            real = version == 1 ? 4 : 8;
          for (std::size_t i = 0; i < begin; ++i)
            EXPECT_TRUE(all[i] == given[i] || (i >= type && i < type + 4) ||
                        (i >= slope && i < slope + 2 * real))
                << "version " << version << ", byte " << i;
        }
}

TEST(NiftiWrite, OpenOffsetAndDisplayRange) {
  std::string given = example(1, false).bytes();
  given.erase(348 + 4, 32);
  const float zero = 0, window = 255;
  std::memcpy(given.data() + 108, &zero, 4);
  std::memcpy(given.data() + 124, &window, 4);
  const NiftiHead head = nifti_head(as_span(given), "given");
  EXPECT_EQ(head.bytes.size(), 352U);
  const auto real = [](const NiftiHead& h, std::size_t at) {
    float x = 0;
    std::memcpy(&x, h.bytes.data() + at, 4);
    return x;
  };
  EXPECT_EQ(real(float_head(head, DType::f32), 108), 352);
  EXPECT_EQ(real(float_head(head, DType::f32), 124), 255);
  EXPECT_EQ(real(float_head(head, DType::f32, false), 124), 0);
}

TEST(NiftiWrite, RefusesWhatDoesNotFit) {
  const TempDir dir;
  const NiftiHead head = float_head(nifti_head(as_span(example(1, false).bytes()), "given"), DType::f32);
  const std::vector<float> few(5);
  EXPECT_THROW(write_nifti(dir / "x.nii", head, std::as_bytes(std::span(few))), std::invalid_argument);
  EXPECT_THROW((void)float_head(head, DType::i16), std::invalid_argument);
  EXPECT_TRUE(dir.entries().empty());
  std::string far = example(1, false).bytes();
  const float offset = 9e8;
  std::memcpy(far.data() + 108, &offset, 4);
  for (const std::string& bytes : {far, gzipped(far)})
    EXPECT_NE(complaint([&] { (void)nifti_head(as_span(bytes), "far.nii"); }).find("far.nii is damaged"),
              std::string::npos);
}

TEST(Gzip, SameBytesForAnyThreadsAndAnySize) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20, std::size_t{2500000}}) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * i % 251);
    std::string packed[2];
    for (const int threads : {1, 3})
      for (const auto& piece :
           detail::gzip_pieces({as_span(bytes).first(size / 3), as_span(bytes).subspan(size / 3)}, threads))
        packed[threads / 3].append(reinterpret_cast<const char*>(piece.data()), piece.size());
    EXPECT_EQ(packed[0], packed[1]);
    EXPECT_EQ(packed[0].substr(4, 4), std::string(4, '\0')) << "no time";
    EXPECT_EQ(unpacked(packed[0], size), bytes);
  }
}

}  // namespace
}  // namespace plumb
