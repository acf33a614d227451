#include "plumb/model/model_file.hpp"

#include <gtest/gtest.h>

#include "plumb/calibrate/fit_model.hpp"
#include "unit/calibrate/some_items.hpp"
#include "unit/io/files.hpp"

namespace plumb {
namespace {

TEST(ModelFile, ComesBackAsItWasSaved) {
  const TempDir dir;
  const CalibrationModel model = fit_model("vector", some::simulate(100, 3, 3, 5).items()).model;
  save_model(model, dir / "m.json");
  const CalibrationModel loaded = load_model(dir / "m.json");
  EXPECT_EQ(model_text(loaded), model_text(model));
  EXPECT_EQ(loaded.name, dir / "m.json");
  EXPECT_EQ(loaded.steps.front().parameters, model.steps.front().parameters);
}

TEST(ModelFile, RefusesWhatIsNotThereAndWhatIsTorn) {
  const TempDir dir;
  EXPECT_THROW((void)load_model(dir / "none.json"), InputError);
  const std::string text = model_text(fit_model("platt", some::simulate(100, 2, 3, 5).items()).model);
  EXPECT_THROW((void)load_model(dir.write("torn.json", text.substr(0, text.size() / 2))), InputError);
  EXPECT_THROW(save_model({}, dir / "no/m.json"), InputError);
}

}  // namespace
}  // namespace plumb
