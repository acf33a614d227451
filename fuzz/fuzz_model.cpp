// An arbitrary model file is refused with one sentence, or read and run. The checksum is corrected first, so
// that the code behind it is reached too.
#include <string>

#include "plumb/apply.hpp"
#include "plumb/calibrate/map.hpp"
#include "plumb/calibrate/onnx.hpp"
#include "plumb/data/check.hpp"

namespace {

std::string with_checksum(std::string text) {
  constexpr std::string_view kKey = ",\n \"checksum\": \"";
  const std::size_t at = text.rfind(kKey);
  if (at == std::string::npos) return text;
  text.resize(at);
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; h >>= 4) digits[i] = "0123456789abcdef"[h & 15];
  return text + std::string(kKey) + digits + "\"\n}\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text = with_checksum({reinterpret_cast<const char*>(data), size});
  constexpr int kMostClasses = 64;  // larger rows show nothing new
  try {
    const plumb::CalibrationModel model = plumb::parse_model(text, "fuzz.json");
    if (model.task != "regression" && model.classes <= kMostClasses) {
      const int width = model.classes == 2 ? 1 : static_cast<int>(model.classes);
      std::vector<double> row(static_cast<std::size_t>(width), 0.25);
      for (const plumb::Step& step : model.steps)
        plumb::make_map(step, static_cast<int>(model.classes))->apply(row, width, row);
      (void)plumb::onnx_text(model);
    }
  } catch (const plumb::InputError&) {  // what is wanted
  }
  try {
    const auto calibrate = plumb::apply::Calibrator::parse(text);
    if (calibrate.classes() <= kMostClasses) {
      std::vector<double> row(static_cast<std::size_t>(calibrate.classes()), 0.25);
      calibrate(row, plumb::apply::Input::logits, row);
    }
  } catch (const plumb::apply::Error&) {  // what is wanted
  }
  return 0;
}
