// plumb-laws [--short] [--seed n] [--only topic] [--write FILE]: measures what the topics claim and prints
// the table. With --write it also replaces the table between the two markers of a page. Exit code 1 if a
// claim does not hold.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "laws/laws.hpp"

namespace plumb::laws {
namespace {

struct Named {
  std::string name;
  std::function<void(Book&)> run;
};
std::vector<Named>& topics() {
  static std::vector<Named> all;
  return all;
}

std::string number(double x) { return fmt::format("{:.3f}", x); }

std::string band(const Wanted& w) {
  if (!std::isfinite(w.high)) return "at least " + number(w.low);
  if (w.low <= 0 && w.high <= 0) return "never";
  return w.low <= 0 ? "at most " + number(w.high) : number(w.low) + " to " + number(w.high);
}

std::string table(const std::vector<Row>& rows) {
  std::string out =
      "| topic | claim | setting | wanted | measured | standard error | sets | holds |\n|---|---|---|---|---|---|---|---|\n";
  for (const Row& r : rows)
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", r.topic, r.claim, r.setting,
                       band(r.wanted), number(r.measured), number(r.error), r.sets,
                       r.holds() ? "yes" : "**no**");
  return out;
}

void write_into(const std::string& path, const std::string& text) {
  const std::string begin = "<!-- laws -->\n", end = "<!-- end of laws -->";
  std::ifstream in(path);
  std::string page{std::istreambuf_iterator<char>(in), {}};
  const auto from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos)
    throw std::runtime_error(path + " has no markers for the table");
  page.replace(from + begin.size(), to - from - begin.size(), "\n" + text + "\n");
  std::ofstream(path) << page;
}

}  // namespace

Topic::Topic(std::string name, std::function<void(Book&)> run) {
  topics().push_back({std::move(name), std::move(run)});
}

void Book::rate(std::string claim, std::string setting, Wanted wanted, const std::vector<char>& hits) {
  const double n = std::ssize(hits), hit = std::accumulate(hits.begin(), hits.end(), 0.0);
  const double shrunk = (hit + 1) / (n + 2);  // so that 0 of n has an error too
  rows_.push_back({topic_, std::move(claim), std::move(setting), wanted, hit / n,
                   std::sqrt(shrunk * (1 - shrunk) / n), int(std::ssize(hits))});
}

void Book::never(std::string claim, std::string setting, const std::vector<char>& hits) {
  rate(std::move(claim), std::move(setting), {0, 0}, hits);
  rows_.back().error = 0;
}

void Book::mean(std::string claim, std::string setting, Wanted wanted, const std::vector<double>& values) {
  const double n = std::ssize(values), mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  rows_.push_back({topic_, std::move(claim), std::move(setting), wanted, mean,
                   std::sqrt(squares / (n - 1) / n), int(std::ssize(values))});
}

int run(int argc, char** argv) {
  bool whole = true;
  std::uint64_t seed = 2024;  // a method is tuned on others (--seed)
  std::string only, page;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--short") {
      whole = false;
      continue;
    }
    if (i + 1 == argc) throw std::runtime_error(flag + " is unknown or lacks its value");
    const std::string value = argv[++i];
    if (flag == "--seed")
      seed = std::stoull(value);
    else if (flag == "--only")
      only = value;
    else if (flag == "--write")
      page = value;
    else
      throw std::runtime_error(flag + " is unknown");
  }
  Book book(whole, seed);
  for (const Named& topic : topics()) {
    if (!only.empty() && topic.name != only) continue;
    const auto start = std::chrono::steady_clock::now();
    const auto before = std::ssize(book.rows());
    book.begin(topic.name);
    topic.run(book);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "%s: %d rows, %.1f s\n", topic.name.c_str(), int(std::ssize(book.rows()) - before),
                 took.count());
  }
  const std::string text = table(book.rows());
  std::fputs(text.c_str(), stdout);
  if (!page.empty()) write_into(page, text);
  int broken = 0;
  for (const Row& r : book.rows()) broken += !r.holds();
  if (book.rows().empty()) throw std::runtime_error("no topic of that name");
  std::fprintf(stderr, "%d of %d claims hold\n", int(std::ssize(book.rows())) - broken,
               int(std::ssize(book.rows())));
  return broken > 0 ? 1 : 0;
}

}  // namespace plumb::laws

int main(int argc, char** argv) {
  try {
    return plumb::laws::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "plumb-laws: %s\n", e.what());
    return 2;
  }
}
