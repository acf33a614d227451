#include "plumb/io/json_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/data/check.hpp"
#include "unit/io/files.hpp"

namespace plumb {
namespace {

Array parse(const std::string& text, const std::string& selection, JsonLinesOptions options = {}) {
  return parse_json_lines(std::as_bytes(std::span(text)), "a.jsonl", selection, options);
}

std::vector<double> numbers(const Array& a) {
  const Rows rows(a);
  std::vector<double> out(static_cast<std::size_t>(a.size()));
  rows.read(0, rows.rows(), out);
  return out;
}

std::string complaint(const std::string& text, const std::string& selection, JsonLinesOptions options = {}) {
  try {
    (void)parse(text, selection, options);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

const std::string kTwo =
    R"({"id": "a", "p": 0.25, "z": [0.5, 1e-1, 4E-1], "meta": {"site": "x", "n": 3}, "ok": true}
{"p": 7, "z": [1, 0, -0], "meta": {"n": null, "site": "y\u00e9\ud83d\ude00\n"}, "id": "b", "ok": false, "new": 1}
)";

TEST(JsonLines, MembersAreColumns) {
  EXPECT_EQ(numbers(parse(kTwo, "p")), (std::vector<double>{0.25, 7}));
  EXPECT_EQ(numbers(parse(kTwo, "ok")), (std::vector<double>{1, 0}));
  const Array z = parse(kTwo, "z");
  EXPECT_EQ(z.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(numbers(z), (std::vector<double>{0.5, 0.1, 0.4, 1, 0, -0.0}));
  EXPECT_TRUE(z.columns.empty());
  const Array both = parse(kTwo, "p,ok");
  EXPECT_EQ(both.columns, (std::vector<std::string>{"p", "ok"}));
  EXPECT_EQ(numbers(both), (std::vector<double>{0.25, 1, 7, 0}));
  const Array site = parse(kTwo, "meta.site", {.want = Want::either});
  EXPECT_EQ(texts_of(site), (std::vector<std::string>{"x", "y\u00e9\U0001F600\n"}));
  EXPECT_TRUE(std::isnan(numbers(parse(kTwo, "meta.n", {.empty_is_nan = true}))[1]));
  EXPECT_TRUE(std::isnan(numbers(parse(kTwo, "new", {.empty_is_nan = true}))[0]));
  EXPECT_EQ(json_lines_columns(std::as_bytes(std::span(kTwo)), "a"),
            (std::vector<std::string>{"id", "p", "z", "meta.site", "meta.n", "ok", "new"}));
}

TEST(JsonLines, PiecesAndBlankLinesDoNotMatter) {
  std::string text = "\xef\xbb\xbf\n";
  for (int i = 0; i < 50; ++i)
    text += "{\"v\": " + std::to_string(i) + ", \"s\": \"" +
            std::string(static_cast<std::size_t>(i % 7), 'q') + (i % 5 == 0 ? "\"}\r\n\n" : "\"}\n");
  const std::vector<double> whole = numbers(parse(text, "v"));
  ASSERT_EQ(whole.size(), 50u);
  for (std::size_t bytes = 1; bytes < 70; bytes += 3) {
    EXPECT_EQ(numbers(parse(text, "v", {.threads = 2, .chunk_bytes = bytes})), whole);
    EXPECT_EQ(texts_of(parse(text, "s", {.want = Want::text, .chunk_bytes = bytes})),
              texts_of(parse(text, "s", {.want = Want::text})));
  }
}

TEST(JsonLines, NamesStayAsTheyAreWritten) {
  const JsonLinesOptions names{.want = Want::names};
  EXPECT_EQ(parse("{\"i\": 7}\n{\"i\": 12}\n", "i", names).dtype, DType::f64);
  EXPECT_EQ(texts_of(parse("{\"i\": 12345678901234567}\n", "i", names)),
            (std::vector<std::string>{"12345678901234567"}));
  EXPECT_EQ(texts_of(parse("{\"i\": \"007\"}\n", "i", names)), (std::vector<std::string>{"007"}));
  // A list of one value is that value; an empty one is nothing.
  EXPECT_EQ(
      texts_of(parse("{\"a\": []}\n{\"a\": [\"cat\"]}\n", "a", {.want = Want::either, .empty_is_nan = true})),
      (std::vector<std::string>{"", "cat"}));
}

TEST(JsonLines, ComplaintsNameRowLineAndColumn) {
  const auto expect = [](const std::string& text, const std::string& selection, const std::string& part,
                         JsonLinesOptions options = {}) {
    const std::string said = complaint(text, selection, options);
    EXPECT_NE(said.find(part), std::string::npos) << text << ": " << said;
  };
  expect("{\"p\": 1}\n\n{\"p\": \"x\"}\n", "p", "row 1 (line 3), column \"p\": \"x\" is text, not a number");
  expect("{\"p\": 1}\n{\"p\": null}\n", "p", "row 1 (line 2), column \"p\": the value is missing");
  expect("{\"p\": 1}\n{\"q\": 1}\n", "p", "the value is missing");
  expect("{\"p\": 1}\n{\"p\": null}\n", "p", "the value is missing", {.want = Want::either});
  expect("{\"prob\": 1}\n", "porb", "did you mean \"prob\"");
  expect("{\"p\": 1}\n{\"p\": \"a\"}\n", "p", "is text in row 1 and a number in row 0",
         {.want = Want::either});
  expect("{\"p\": [1, 2]}\n{\"p\": [1]}\n", "p", "has 1 value where the first list has 2");
  expect("{\"p\": [1, 2]}\n{\"p\": null}\n", "p", "the list is missing");
  expect("{\"p\": [[1], [2]]}\n", "p", "lists of lists");
  expect("{\"p\": {\"a\": 1}}\n", "p", "no column");
  expect("{\"p\": 1}\n{\"p\": {}}\n", "p", "holds an object");
  expect("{\"p\": [{\"a\": 1}]}\n", "p", "holds an object");
  expect("{\"p\": 1, \"p\": 2}\n", "p", "occurs twice");
  expect("[{\"p\": 1}]\n", "p", "one JSON array");
  expect("{\"p\": 1} {\"p\": 2}\n", "p", "more than one value");
  expect("{\"p\": 01}\n", "p", "begins with 0");
  expect("{\"p\": 1\n", "p", "ends before its object is complete");
  expect("{\"p\": .5}\n", "p", "not JSON");
  expect("{\"p\": \"\\ud800\"}\n", "p", "escape", {.want = Want::text});
  expect("{\"p\": \"\xff\"}\n", "p", "not UTF-8", {.want = Want::text});
  expect("1\n", "p", "not an object");
  expect("\n \n", "p", "holds no line");
  expect(std::string(100, '[').insert(0, "{\"p\": ") + "\n", "p", "nested too deeply");
  std::string long_list = "{\"p\": [0";
  for (int i = 0; i < 5000; ++i) long_list += ",1";
  long_list += "]}\n";
  for (int i = 0; i < 5000; ++i) long_list += "{}\n";
  expect(long_list, "p", "others have fewer");
}

}  // namespace
}  // namespace plumb
