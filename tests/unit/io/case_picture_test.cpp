#include "plumb/io/case_picture.hpp"

#include <gtest/gtest.h>

#include "plumb/io/pictures.hpp"

namespace plumb {
namespace {

/// Slices of 3 x 2 (x fastest): the model says foreground in the first column of the second slice only, with
/// certainty; one rater marked nothing.
CaseItems example(bool nifti, bool with_region) {
  const std::int64_t n = 12;
  std::vector<double> p(n, 0.0);
  std::vector<std::int32_t> votes(n, 0);
  p[6] = p[9] = 1;
  CaseItems c;
  c.grid.shape = nifti ? std::vector<std::int64_t>{3, 2, 2} : std::vector<std::int64_t>{2, 2, 3};
  c.grid.first_axis_fastest = nifti;
  if (with_region) {
    for (std::int64_t i = 0; i < n; ++i)
      if (i != 11) c.grid.kept.push_back(i);
    p.pop_back();
    votes.pop_back();
  }
  const std::int64_t items = std::ssize(p);
  c.items.predictions = Predictions({Rows(array_of(std::move(p), {items}, "p"))}, Scale::probability);
  c.items.votes = Votes::from_ratings(Rows(array_of(std::move(votes), {items, 1}, "v")), 2);
  return c;
}

/// The picture that these pixels make: a voxel is 80 x 80 pixels, panels are 240 x 160 with 6 between them.
std::string expected(bool y_up, bool with_region) {
  constexpr int kWide = 486, kHigh = 160;
  std::vector<std::uint8_t> pixels(kWide * kHigh * 3, 255);
  for (int y = 0; y < kHigh; ++y)
    for (int x = 0; x < kWide; ++x) {
      if (x >= 240 && x < 246) continue;
      const bool left = x < 240;
      const int column = (left ? x : x - 246) / 80, row = y_up ? 1 - y / 80 : y / 80;
      const bool said = column == 0, out = with_region && column == 2 && row == 1;
      std::uint8_t* const at = &pixels[(y * kWide + x) * 3];
      const std::uint8_t grey = said ? 255 : 0;
      const std::uint8_t colour[3] = {out    ? std::uint8_t{40}
                                      : left ? grey
                                      : said ? std::uint8_t{214}
                                             : std::uint8_t{255},
                                      out    ? std::uint8_t{44}
                                      : left ? grey
                                      : said ? std::uint8_t{90}
                                             : std::uint8_t{255},
                                      out    ? std::uint8_t{52}
                                      : left ? grey
                                      : said ? std::uint8_t{20}
                                             : std::uint8_t{255}};
      std::copy(colour, colour + 3, at);
    }
  return png_uri(encode_png(pixels, kHigh, kWide, 3));
}

TEST(CasePicture, ShowsTheSliceThatIsWorstAndWhereItIsOverconfident) {
  for (const bool nifti : {false, true})
    for (const bool region : {false, true}) {
      const CasePicture picture = case_picture(example(nifti, region));
      EXPECT_EQ(picture.slice, 1);
      EXPECT_EQ(picture.slices, 2);
      EXPECT_EQ(picture.uri, expected(nifti, region)) << nifti << region;
    }
}

TEST(CasePicture, OutlinesAndAgreement) {
  CaseItems c = example(true, false);
  std::vector<std::int32_t> votes(12, 0);
  votes[6] = votes[9] = 1;  // the rater agrees everywhere
  c.items.votes = Votes::from_ratings(Rows(array_of(std::move(votes), {12, 1}, "v")), 2);
  const CasePicture agreed = case_picture(c);
  EXPECT_EQ(agreed.slice, 0) << "no slice is worse than another";
  c.grid.shape = {12};
  EXPECT_TRUE(case_picture(c).uri.empty());
}

}  // namespace
}  // namespace plumb
