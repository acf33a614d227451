#include "plumb/io/table_file.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "io/arrow_export.hpp"
#include "plumb/io/arrow_stream.hpp"
#include "plumb/io/load.hpp"
#include "unit/io/files.hpp"

namespace plumb {
namespace {

using Texts = std::vector<std::string>;

TEST(TableFile, TheSuffixDecides) {
  const TempDir dir;
  const std::vector<double> rows{0.1, 0.9, 1.0 / 3, 2.0 / 3, 5e-324, 1};
  for (const char* name : {"t.npy", "t.CSV", "t.tsv", "table"}) {
    TableFile file(dir / name, {3, 2}, {"p_a", "p_b,c"});
    file.write(std::span(rows).first(2));
    file.write(std::span(rows).subspan(2));
    EXPECT_FALSE(std::filesystem::exists(dir / name)) << name;
    file.commit();
    const Array a = load_one({dir / name, ""});
    EXPECT_EQ(a.shape, (std::vector<std::int64_t>{3, 2})) << name;
    EXPECT_EQ(values_of(a), rows) << name;
  }
  EXPECT_EQ(load_one({dir / "t.CSV", ""}).columns, (Texts{"p_a", "p_b,c"}));
  EXPECT_EQ(load_one({dir / "t.tsv", ""}).columns, (Texts{"p_a", "p_b,c"}));
  EXPECT_THROW(TableFile(dir / "u.npy", {3, 2}, {"p"}), std::invalid_argument);
  EXPECT_EQ(complaint([&] { TableFile(dir / "u.xlsx", {3}, {"p"}); }),
            dir / "u.xlsx" +
                ": a table is written as .npy, .csv, .tsv, .parquet, .arrow or .feather, not as .xlsx; "
                "choose one of these suffixes");
}

TEST(TableFile, OneThatIsNotCommittedLeavesNothing) {
  const TempDir dir;
  { TableFile(dir / "t.csv", {1}, {"p"}).write(std::vector<double>{1}); }
  EXPECT_TRUE(dir.entries().empty());
  EXPECT_EQ(complaint([&] { TableTextFile file(dir / "t.npy"); }),
            dir / "t.npy" + " would be an array, and this table holds text too; name it .csv or .parquet");
}

/// What the plugin would be handed, given back as a stream.
struct Loop {
  std::vector<detail::ArrowOut> columns;
  bool done = false;

  ArrowArrayStream start() {
    ArrowArrayStream s{};
    s.private_data = this;
    s.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      *out = detail::export_schema(static_cast<Loop*>(self->private_data)->columns);
      return 0;
    };
    s.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      auto& own = *static_cast<Loop*>(self->private_data);
      *out = own.done ? ArrowArray{} : detail::export_batch(own.columns);
      own.done = true;
      return 0;
    };
    s.release = [](ArrowArrayStream* self) { self->release = nullptr; };
    return s;
  }
};

Array back(const std::string& column, Want want, bool nan = false) {
  const std::vector<double> numbers{0.1, 7, -3};
  Loop loop{{detail::out_numbers("x", numbers), detail::out_wholes("n", numbers, {true, false, false}),
             detail::out_texts("t", Texts{"a", "", "long enough to be no small text"})}};
  ArrowArrayStream stream = loop.start();
  return read_arrow_stream(&stream, "t", column, {want, nan, nullptr});
}

TEST(ArrowExport, IsReadBackAsItWas) {
  EXPECT_EQ(values_of(back("x", Want::numbers)), (std::vector<double>{0.1, 7, -3}));
  EXPECT_EQ(texts_of(back("t", Want::either)), (Texts{"a", "", "long enough to be no small text"}));
  const std::vector<double> n = values_of(back("n", Want::numbers, true));
  EXPECT_TRUE(n[0] != n[0]);
  EXPECT_EQ(n[1], 7);
  EXPECT_EQ(n[2], -3);
}

}  // namespace
}  // namespace plumb
