#include "train/options/options.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"

namespace plumb::train {
namespace {

TEST(Options, GoThroughJsonUnchanged) {
  TrainOptions o;
  o.data = "faces";
  o.dropout = 0.25;
  o.hidden = {7, 5};
  o.cape_sigma = 0.1 + 0.2;  // a number whose text needs all digits
  o.seed = 18446744073709551615ull;
  o.tune = {0.5, 1};
  o.flip = true;
  const std::string text = to_json(o);
  const TrainOptions back = from_json(text, "config.json");
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(back.seed, o.seed);
  EXPECT_EQ(back.cape_sigma, o.cape_sigma);
  EXPECT_EQ(back.dropout, o.dropout);
  EXPECT_FALSE(back.strength.has_value());
}

TEST(Options, AnUnknownKeyNamesTheNearest) {
  try {
    (void)from_json(R"({"metod": "ce"})", "grid.json");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean \"method\""), std::string::npos) << e.what();
  }
  EXPECT_THROW((void)from_json("[]", "x"), InputError);
  EXPECT_THROW((void)from_json("{", "x"), InputError);
  EXPECT_THROW((void)from_json(R"({"lr": "fast"})", "x"), InputError);
}

TEST(Options, EveryRangeIsChecked) {
  const auto bad = [](auto change) {
    TrainOptions o;
    change(o);
    EXPECT_THROW(check_options(o), InputError);
  };
  check_options({});
  bad([](auto& o) { o.method = "cape"; });
  bad([](auto& o) { o.lr = 0; });
  bad([](auto& o) { o.lr = std::nan(""); });
  bad([](auto& o) { o.dropout = 1; });
  bad([](auto& o) { o.batch = 0; });
  bad([](auto& o) { o.from_start = true; });  // not for ce
  bad([](auto& o) { o.tune = {1}; });         // ce has no strength
  bad([](auto& o) { o.method = "label-smoothing", o.strength = 2; });
}

TEST(Options, DefaultsOfTheMethods) {
  TrainOptions o;
  o.method = "cape-bin";
  EXPECT_EQ(cape_every_of(o), 3);
  o.method = "cape-kernel";
  EXPECT_EQ(cape_every_of(o), 4);
  o.method = "mmce";
  EXPECT_EQ(strength_of(o), 3);
  o.strength = 0.5;
  EXPECT_EQ(strength_of(o), 0.5);
}

}  // namespace
}  // namespace plumb::train
