// The bytes have the shape of onnx.proto; tests/cli/test_calibrate.py runs them where
// onnxruntime is installed.
#include "plumb/calibrate/onnx.hpp"

#include <gtest/gtest.h>

#include <map>

#include "calibrate/onnx_graph.hpp"
#include "plumb/calibrate/fit.hpp"
#include "plumb/data/check.hpp"
#include "unit/calibrate/some_items.hpp"

namespace plumb {
namespace {

// A reader of protocol buffers: fields of one message, in order.
struct Field {
  int number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};
std::vector<Field> fields(std::string_view text) {
  std::vector<Field> out;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(text.at(at++));
      v |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return v;
    }
  };
  while (at < text.size()) {
    const std::uint64_t key = varint();
    Field f{static_cast<int>(key >> 3), 0, {}};
    if ((key & 7) == 0) {
      f.value = varint();
    } else {
      EXPECT_EQ(key & 7, 2u);
      const std::uint64_t size = varint();
      f.bytes = text.substr(at, size);
      EXPECT_EQ(f.bytes.size(), size);
      at += size;
    }
    out.push_back(f);
  }
  return out;
}

TEST(Onnx, EveryValueIsMadeBeforeItIsUsed) {
  for (const CalibratorRow& row : calibrators())
    for (const int classes : {2, 4}) {
      if (!row.serves(classes)) continue;
      if (classes == 2 && row.method.starts_with("structured")) continue;
      const Items items = some::simulate(100, classes, 3, 41).items();
      const std::vector<Step> steps = fit_calibrator(row.method, items, {});
      if (classes == 2 && steps[0].method.starts_with("structured")) continue;  // chosen by auto
      const std::string text =
          onnx_text({classes == 2 ? "binary" : "multiclass", classes, {}, "logits", steps, "0", {}});
      std::string_view graph;
      for (const Field& f : fields(text))
        if (f.number == 7) graph = f.bytes;
      std::map<std::string_view, int> known{{"logits", 1}};
      int nodes = 0;
      for (const Field& f : fields(graph))
        if (f.number == 5)
          for (const Field& t : fields(f.bytes))
            if (t.number == 8) known[t.bytes] = 1;
      for (const Field& f : fields(graph)) {
        if (f.number != 1) continue;
        ++nodes;
        for (const Field& n : fields(f.bytes)) {
          if (n.number == 1) {
            EXPECT_EQ(known.count(n.bytes), 1u) << row.method << ": " << n.bytes;
          }
          if (n.number == 2) {
            EXPECT_EQ(known[n.bytes]++, 0) << row.method;
          }
        }
      }
      EXPECT_EQ(known.count("calibrated"), 1u) << row.method;
      EXPECT_GE(nodes, 2);
    }
}

TEST(Onnx, VarintsAndConstants) {
  EXPECT_EQ(detail::Message().number(1, 300).text(), "\x08\xac\x02");
  EXPECT_EQ(detail::Message().bytes(2, "ab").text(),
            "\x12\x02"
            "ab");
  detail::OnnxGraph g;
  EXPECT_EQ(g.constant(1.0), "c0");
  EXPECT_EQ(g.node("Log", {"c0"}), "v1");
}

TEST(Onnx, RegressionHasNone) {
  CalibrationModel model;
  model.task = "regression";
  EXPECT_THROW((void)onnx_text(model), InputError);
}

}  // namespace
}  // namespace plumb
