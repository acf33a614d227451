#include "plumb/io/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "unit/io/files.hpp"

namespace plumb {
namespace {

Array parse(const std::string& text, const std::string& selection = "", CsvOptions options = {}) {
  return parse_csv(as_span(text), "v.csv", selection, options);
}
std::string said(const std::string& text, const std::string& selection = "", CsvOptions options = {}) {
  return complaint([&] { (void)parse(text, selection, options); });
}
std::vector<double> numbers(const std::string& text, const std::string& selection = "",
                            CsvOptions options = {}) {
  return values_of(parse(text, selection, options));
}
std::vector<std::string> words(const std::string& text, const std::string& selection = "") {
  return texts_of(parse(text, selection, {.want = Want::text}));
}

TEST(Csv, ColumnsAndTheirOrder) {
  const std::string text = "p,y,name\n0.5,1,a\n0.25,0,b\n";
  const Array one = parse(text, "p");
  EXPECT_EQ(one.shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(one.name, "v.csv:p");
  EXPECT_EQ(one.first_row, 2);
  EXPECT_EQ(values_of(one), (std::vector<double>{0.5, 0.25}));
  const Array two = parse(text, "y,p");
  EXPECT_EQ(two.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(values_of(two), (std::vector<double>{1, 0.5, 0, 0.25}));
  EXPECT_EQ(words(text, "name"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(words(text, "y"), (std::vector<std::string>{"1", "0"}));
  EXPECT_EQ(parse("a,b\n1,2\n").shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(parse("a\n1\n2").shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(parse("a,b\n").shape, (std::vector<std::int64_t>{0, 2}));
}

TEST(Csv, LineEndsByteOrderMarkAndSpaces) {
  const std::vector<double> want = {1, 2, 3, 4};
  EXPECT_EQ(numbers("a,b\n1,2\n3,4"), want);
  EXPECT_EQ(numbers("a,b\r\n1,2\r\n3,4\r\n"), want);
  EXPECT_EQ(numbers("\xef\xbb\xbf"
                    "a,b\n1,2\n3,4\n",
                    "a,b"),
            want);
  EXPECT_EQ(numbers("a,b\n1,2\n3,4\n\n \r\n\n"), want);
  EXPECT_EQ(numbers(" a , b \n 1 ,\t2 \n3  ,  4 \r\n", "a,b"), want);
  EXPECT_EQ(numbers("a\tb\n1\t2\n3\t 4 \n", "", {.delimiter = '\t'}), want);
  EXPECT_EQ(numbers("a,b\n\"1\",\"2\"\n\" 3 \" , \"4\"\r\n"), want);
}

TEST(Csv, NumbersAsPeopleAndProgramsWriteThem) {
  EXPECT_EQ(numbers("x\n+0.5\n-1e-3\n.5\n5.\n1E5\n9007199254740993\n18446744073709551615\n"),
            (std::vector<double>{0.5, -1e-3, 0.5, 5, 1e5, 9007199254740992, 18446744073709551616.0}));
  EXPECT_EQ(numbers("x\n4.9e-324\n1e-400\n-1e-99999999999999999999\n0." + std::string(400, '0') + "1\n"),
            (std::vector<double>{4.9e-324, 0, -0.0, 0}));
  const std::vector<double> odd = numbers("x\nnan\nNaN\n-inf\nInfinity\n+nan\n");
  EXPECT_TRUE(std::isnan(odd[0]) && std::isnan(odd[1]) && std::isnan(odd[4]));
  EXPECT_EQ(odd[2], -INFINITY);
  EXPECT_EQ(odd[3], INFINITY);
  for (const char* bad :
       {"abc", "1x", "1 2", "0x10", "--1", "+-1", "1e", "e5", "1,000", "0,5", ".", "+", "1_0", "Na"}) {
    EXPECT_NE(said("x,y\n1," + std::string(bad) + "\n"), "no complaint") << bad;
  }
  EXPECT_EQ(said("x\n1e400\n"), "v.csv, row 0 (line 2), column \"x\": \"1e400\" is too large for a number");
  EXPECT_NE(said("x\n1" + std::string(400, '0') + "\n").find("too large"), std::string::npos);
}

TEST(Csv, Quotes) {
  const std::string text = "\"a, b\",\"say \"\"hi\"\"\"\n\"x\ny\",\"1\"\n\"\",2\n\"\"\"\",3\n";
  EXPECT_EQ(numbers(text, "\"say \"\"hi\"\"\""), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(words(text, "a, b"), (std::vector<std::string>{"x\ny", "", "\""}));
  EXPECT_EQ(words(text, "\"a, b\""), (std::vector<std::string>{"x\ny", "", "\""}));
  EXPECT_EQ(parse(text, "say \"hi\"").first_row, 0);  // records of several lines: only the row is reported
  EXPECT_EQ(
      said("a,b\n1,5\"\n"),
      "v.csv, row 0 (line 2): a quote inside an unquoted value; quote the whole value and double the quotes in it");
  EXPECT_NE(said("a,b\n1,\"5\"x\n"), "no complaint");
  EXPECT_EQ(said("a,b\n1,2\n3,\"4\n5,6\n"), "v.csv, row 1 (line 3): a quote is never closed");
  EXPECT_EQ(said("a,\"b\n1,2\n"), "v.csv, header: a quote is misplaced or never closed");
  // A line number counts the lines of the file, not the records.
  EXPECT_EQ(said("a,b\n\"x\n\ny\",1\n\"z\",oops\n", "b"),
            "v.csv, row 1 (line 5), column \"b\": \"oops\" is not a number");
}

TEST(Csv, MissingAndUnreadableValues) {
  EXPECT_EQ(said("p,q\n1,2\n3,\n", "q"), "v.csv, row 1 (line 3), column \"q\": the value is missing");
  EXPECT_EQ(said("p,q\n1,2\n3,x\n"), "v.csv, row 1 (line 3), column \"q\": \"x\" is not a number");
  EXPECT_EQ(numbers("p,q\n1,2\n3,x\n", "p"),
            (std::vector<double>{1, 3}));  // unselected columns may hold anything
  const std::vector<double> v = numbers("a,b\n1,\n,2\nNA,\"\"\n", "", {.empty_is_nan = true});
  EXPECT_EQ(v[0], 1);
  EXPECT_EQ(v[3], 2);
  for (const std::size_t i : {1u, 2u, 4u, 5u}) EXPECT_TRUE(std::isnan(v[i])) << i;
  EXPECT_TRUE(std::isnan(numbers("a\n1\n\n2\n", "", {.empty_is_nan = true})[1]));
  EXPECT_EQ(said("a\n1\n\n2\n"), "v.csv, row 1 (line 3), column \"a\": the value is missing");
  EXPECT_EQ(said("a\nNA\n"), "v.csv, row 0 (line 2), column \"a\": \"NA\" is not a number");
  EXPECT_EQ(said(std::string("a\n\x01\xff\n")),
            "v.csv, row 0 (line 2), column \"a\": \"??\" is not a number");
}

TEST(Csv, EitherNumbersOrText) {
  const CsvOptions either{.want = Want::either};
  EXPECT_EQ(parse("a\n1\n2\n", "", either).dtype, DType::f64);
  EXPECT_EQ(parse("a\n1\nx\n", "", either).dtype, DType::text);
  EXPECT_EQ(texts_of(parse("a\n1\n\nx\n", "", either)), (std::vector<std::string>{"1", "", "x"}));
  EXPECT_EQ(said("a\n1\n\n2\n", "", either), "v.csv, row 1 (line 3), column \"a\": the value is missing");
  EXPECT_EQ(parse("a\n1\n\n2\n", "", {.want = Want::either, .empty_is_nan = true}).dtype, DType::f64);
  EXPECT_EQ(texts_of(parse("a,b\n007, x y \n", "", either)), (std::vector<std::string>{"007", "x y"}));
}

TEST(Csv, RaggedRows) {
  EXPECT_EQ(said("a,b,c\n1,2,3\n4,5\n"),
            "v.csv, row 1 (line 3) has 2 values where the header names 3 columns");
  EXPECT_EQ(said("a,b\n1,2,3\n", "a"), "v.csv, row 0 (line 2) has 3 values where the header names 2 columns");
  EXPECT_EQ(said("a,b\n1,2\n\n3,4\n"), "v.csv, row 1 (line 3) has 1 value where the header names 2 columns");
  EXPECT_EQ(said("a,b\n\"1\",2\n3\n"), "v.csv, row 1 (line 3) has 1 value where the header names 2 columns");
  EXPECT_EQ(said("a\n1,2\n"), "v.csv, row 0 (line 2) has 2 values where the header names 1 column");
}

TEST(Csv, Selections) {
  const std::string text = "p_0,p_1,y,y,x:z\n1,2,3,4,5\n";
  EXPECT_EQ(numbers(text, "p_*"), (std::vector<double>{1, 2}));
  EXPECT_EQ(numbers(text, "x:z,p_1"), (std::vector<double>{5, 2}));
  EXPECT_EQ(numbers(text), (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(said(text, "p_2"),
            "v.csv has no column \"p_2\" (did you mean \"p_0\"?); it has p_0, p_1, y, y, x:z");
  EXPECT_EQ(said(text, "q*"), "v.csv has no column \"q*\"; it has p_0, p_1, y, y, x:z");
  EXPECT_EQ(said(text, "y"), "v.csv has 2 columns named \"y\"; give them different names");
  EXPECT_EQ(said(text, "p_0,p_*"), "v.csv: the column \"p_0\" is selected twice");
  EXPECT_NE(said(text, "p_0,"), "no complaint");
  EXPECT_NE(said(text, "\"p_0"), "no complaint");
}

TEST(Csv, Headers) {
  EXPECT_EQ(said("0.5,1\n0.25,0\n"),
            "v.csv begins with numbers (\"0.5\"); the first line must name the columns");
  EXPECT_EQ(said("3\n1\n"), "v.csv begins with numbers (\"3\"); the first line must name the columns");
  EXPECT_EQ(numbers("0,1\n5,6\n"), (std::vector<double>{5, 6}));  // as pandas names columns
  EXPECT_EQ(said("\n1\n"), "v.csv begins with a blank line; the first line must name the columns");
  EXPECT_EQ(said("a;b\n1;2\n"),
            "v.csv is separated by semicolons; save it with commas (or tabs, as .tsv) between the values");
  EXPECT_EQ(said("a\tb\n1\t2\n"),
            "v.csv is separated by tabs; save it with commas (or tabs, as .tsv) between the values");
  EXPECT_EQ(said("a,b\n1,2\n", "", {.delimiter = '\t'}),
            "v.csv is separated by commas; save it with tabs between the values");
  EXPECT_EQ(said("0.1 0.2\n0.3 0.4\n"),
            "v.csv is separated by spaces; save it with commas (or tabs, as .tsv) between the values");
  EXPECT_EQ(said("a\r1\r2\r"),
            "v.csv has carriage returns as line endings; save it with standard line endings");
  EXPECT_EQ(said(std::string("\xff\xfe"
                             "a\0\n\0",
                             6)),
            "v.csv is UTF-16 text; save it as UTF-8");
  EXPECT_EQ(said(std::string("a\0b\n1\n", 6)), "v.csv is not text: its header holds zero bytes");
  EXPECT_EQ(said("caf\xe9\n1\n"), "v.csv: the header is not UTF-8 text; save the file as UTF-8");
  EXPECT_EQ(said("a\ncaf\xe9\n", "", {.want = Want::text}),
            "v.csv, row 0 (line 2), column \"a\": the text is not UTF-8; save the file as UTF-8");
}

/// Reference: a character-by-character reader of the whole, without pieces, mappings or fast paths.
std::vector<std::vector<std::string>> naive(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, std::vector<std::string>(1));
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      records.back().back() += text[++i];
    } else if (c == '"') {
      inside = !inside;
    } else if (!inside && c == ',') {
      records.back().emplace_back();
    } else if (!inside && c == '\n') {
      records.emplace_back(1);
    } else if (inside || c != '\r') {
      records.back().back() += c;
    }
  }
  if (records.back() == std::vector<std::string>(1)) records.pop_back();
  records.erase(records.begin());
  return records;
}

/// Random tables whose text column has commas, quotes and newlines in it, cut into pieces of
/// every small size.
TEST(Csv, PiecesDoNotChangeTheResult) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    const bool quotes = round % 3 != 0;
    const std::string line_end = round % 2 == 0 ? "\n" : "\r\n";
    std::string text = "id,name,p" + line_end;
    for (int row = 0; row < 25; ++row) {
      std::string name;
      for (unsigned k = random() % 9; k > 0; --k) name += "ab,\"\n"[random() % 5];
      std::string field;
      for (const char c : name) {
        if (quotes) field += c == '"' ? std::string("\"\"") : std::string(1, c);
        if (!quotes && c >= 'a') field += c;
      }
      if (quotes) field = "\"" + field + "\"";
      text += std::to_string(row) + "," + field + "," + std::to_string(random() % 1000) + ".5" + line_end;
    }
    const auto want = naive(text);
    for (const std::size_t chunk : {1u, 2u, 3u, 5u, 7u, 16u, 33u, 100u, 1000u}) {
      for (const int threads : {1, 3}) {
        const CsvOptions options{.threads = threads, .chunk_bytes = chunk};
        CsvOptions as_text = options;
        as_text.want = Want::text;
        const std::vector<double> p = numbers(text, "p,id", options);
        const Array name = parse(text, "name", as_text);
        ASSERT_EQ(p.size(), 2 * want.size()) << "round " << round << " chunk " << chunk;
        for (std::size_t i = 0; i < want.size(); ++i) {
          ASSERT_EQ(p[2 * i], std::stod(want[i][2])) << "round " << round << " chunk " << chunk;
          ASSERT_EQ(p[2 * i + 1], static_cast<double>(i));
          ASSERT_EQ((*name.text)[i], want[i][1]) << "round " << round << " chunk " << chunk;
        }
      }
    }
  }
}

TEST(Csv, TheFirstErrorIsToldForAnyPieces) {
  std::string text = "p,q\n";
  for (int i = 0; i < 500; ++i) text += i % 100 == 42 ? "1,bad\n" : "1,2\n";
  for (const std::size_t chunk : {1u, 64u, 100000u}) {
    for (const int threads : {1, 4}) {
      EXPECT_EQ(said(text, "", {.threads = threads, .chunk_bytes = chunk}),
                "v.csv, row 42 (line 44), column \"q\": \"bad\" is not a number");
    }
  }
}

}  // namespace
}  // namespace plumb
