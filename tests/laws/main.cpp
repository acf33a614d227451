// plumb-laws [--short] [--seed n] [--only topic] [--times n] [--write FILE]: measures what the topics claim
// and prints the table, with --times n from n times as many sets. With --write it also replaces the table
// between the two markers of a page; with --only it replaces the rows of that topic there and keeps the
// others. Each row states its seed. Exit code 1 if a claim does not hold.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
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

constexpr const char* kHead =
    "| topic | claim | setting | wanted | measured | standard error | sets | seed | holds |\n"
    "|---|---|---|---|---|---|---|---|---|\n";

std::string lines(std::span<const Row> rows, std::uint64_t seed) {
  std::string out;
  for (const Row& r : rows)
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", r.topic, r.claim, r.setting,
                       band(r.wanted), number(r.measured), number(r.error), r.sets, seed,
                       r.holds() ? "yes" : "**no**");
  return out;
}

/// The rows of `page`, those of one topic replaced where they stand; at the end if it had none.
std::string with_topic(const std::string& old, const std::string& topic, const std::string& rows) {
  std::istringstream in(old);
  std::string out, line;
  bool written = false;
  while (std::getline(in, line)) {
    if (line.starts_with("| " + topic + " |")) {
      if (!written) out += rows;
      written = true;
    } else if (line.starts_with("| ") && !line.starts_with("| topic |")) {
      out += line + "\n";
    }
  }
  return kHead + (written ? out : out + rows);
}

std::string summary(const std::string& rows) {
  int held = 0, all = 0;
  std::istringstream in(rows);
  for (std::string line; std::getline(in, line);) {
    held += line.ends_with("| yes |");
    all += line.ends_with("| yes |") || line.ends_with("| **no** |");
  }
  return fmt::format("{} of {} rows hold.\n\n", held, all);
}

void write_into(const std::string& path, const std::string& only, const std::string& rows) {
  const std::string begin = "<!-- laws -->\n", end = "<!-- end of laws -->";
  std::ifstream in(path);
  std::string page{std::istreambuf_iterator<char>(in), {}};
  const auto from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos)
    throw std::runtime_error(path + " has no markers for the table");
  const auto start = from + begin.size();
  const std::string text =
      only.empty() ? kHead + rows : with_topic(page.substr(start, to - start), only, rows);
  page.replace(start, to - start, "\n" + summary(text) + text + "\n");
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

void Book::shares(std::string claim, std::string setting, Wanted wanted, const std::vector<double>& values) {
  mean(std::move(claim), std::move(setting), wanted, values);
  if (rows_.back().error > 0) return;  // shares that never differ do not show how uncertain their mean is
  const double n = std::ssize(values), shrunk = (rows_.back().measured * n + 1) / (n + 2);
  rows_.back().error = std::sqrt(shrunk * (1 - shrunk) / n);
}

void Book::estimate(std::string claim, std::string setting, Wanted wanted, double measured, double error,
                    int sets) {
  rows_.push_back({topic_, std::move(claim), std::move(setting), wanted, measured, error, sets});
}

int run(int argc, char** argv) {
  bool whole = true;
  int times = 1;
  std::uint64_t seed = 2024;  // what was looked at while a method was changed is no longer fair: see --seed
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
    else if (flag == "--times")
      times = std::stoi(value);
    else if (flag == "--write")
      page = value;
    else
      throw std::runtime_error(flag + " is unknown");
  }
  Book book(whole, seed, times);
  std::fputs(kHead, stdout);
  for (const Named& topic : topics()) {
    if (!only.empty() && topic.name != only) continue;
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    const auto before = std::ssize(book.rows());
    book.begin(topic.name);
    topic.run(book);
    std::fputs(lines(std::span(book.rows()).subspan(before), seed).c_str(), stdout);
    std::fflush(stdout);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "%s: %d rows, %.1f s, %.1f CPU s\n", topic.name.c_str(),
                 int(std::ssize(book.rows()) - before), took.count(),
                 double(std::clock() - cpu) / CLOCKS_PER_SEC);
  }
  if (!page.empty()) write_into(page, only, lines(book.rows(), seed));
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
