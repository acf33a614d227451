// Reliability tables, sorting metrics, files.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench.hpp"
#include "plumb/data/forecasts.hpp"
#include "plumb/io/load.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/metrics/ordered/equal_mass.hpp"
#include "plumb/metrics/ordered/ks.hpp"
#include "plumb/metrics/ordered/ranking.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"
#include "unit/metrics/passes.hpp"

namespace plumb::bench {
namespace {

std::int64_t resident_kb(const char* field) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(field)) return std::atoll(line.c_str() + std::string(field).size() + 1);
  return 0;
}

void binary_cases(Bench& b) {
  const std::int64_t n = b.size(1e8);
  const double bytes = 5.0 * static_cast<double>(n);
  const BinEdges edges;
  const std::string dir = (std::filesystem::temp_directory_path() / "plumb-bench").string();
  {
    const BinaryData data(n);
    const Items items = data.items();
    b.run(
        "table, 1e8 binary, two threads", bytes, 5,
        [&] { (void)reliability_table(items, Event::event, edges, 2); }, bytes / b.bandwidth() / 0.25,
        "stretch 40%");
    b.run("table, 1e8 binary, one thread", bytes, 3,
          [&] { (void)reliability_table(items, Event::event, edges, 1); });
    std::filesystem::create_directories(dir);
    const std::vector<std::int64_t> shape{n};
    write_npy(dir + "/p.npy", std::span<const float>(data.p), shape);
    write_npy(dir + "/y.npy", std::span<const std::uint8_t>(data.y), shape);
  }
  const double in_memory = b.cases()[b.cases().size() - 2].seconds;
  const std::int64_t anon = resident_kb("RssAnon:");
  std::int64_t after = 0;
  b.run(
      "the same from .npy in the page cache", bytes, 3,
      [&] {
        Items items;
        items.predictions =
            Predictions({load(std::vector<std::string>{dir + "/p.npy"}, {})}, Scale::probability);
        items.votes = Votes::from_labels(load(std::vector<std::string>{dir + "/y.npy"}, {}), 2);
        (void)reliability_table(items, Event::event, edges, 2);
        after = resident_kb("RssAnon:");
      },
      1.5 * in_memory);
  std::printf("%-46s %9.1f MB\n", "  resident beyond the mapped files",
              static_cast<double>(after - anon) / 1024);
  std::filesystem::remove_all(dir);
}

void sorted_cases(Bench& b) {
  const BinaryData data(b.size(1e7));
  const Forecasts f = collect(data.items(), Event::event, 0);
  b.run(
      "equal-mass ECE, 1e7 (sort included)", 0, 3,
      [&] { (void)ece(equal_mass_table(sort_forecasts(f, 0).view(), 15)); }, 0.21);
  b.run("AUROC, 1e7 (sort included)", 0, 3, [&] { (void)auroc(sort_forecasts(f, 0).view()); });
  b.run("KS, 1e7 (sort included)", 0, 3, [&] { (void)ks(sort_forecasts(f, 0).view()); });
}

void multiclass_cases(Bench& b) {
  const BinEdges edges;
  for (const auto& [rows, k, name] : {std::tuple{1e6, 10, "1e6 x 10"}, std::tuple{5e4, 1000, "5e4 x 1000"}}) {
    const MulticlassData data(b.size(rows), k, false);
    const Items items = data.items();
    const double bytes = 4.0 * static_cast<double>(data.z.size());
    b.run(
        std::string("top label, ") + name, bytes, 5,
        [&] { (void)reliability_table(items, Event::event, edges, 2); }, bytes / b.bandwidth() / 0.25);
    const double top = b.cases().back().seconds;
    b.run(
        std::string("class-wise, ") + name, bytes, 5, [&] { (void)classwise_tables(items, edges, 2); },
        k == 1000 ? 4 * top : 0);
  }
}

void csv_case(Bench& b) {
  const std::string path = (std::filesystem::temp_directory_path() / "plumb-bench.csv").string();
  const std::int64_t rows = b.size(2e6);
  std::FILE* f = std::fopen(path.c_str(), "w");
  if (f == nullptr) return;
  std::fprintf(f, "id,p,y\n");
  const BinaryData data(rows);
  for (std::int64_t i = 0; i < rows; ++i)
    std::fprintf(f, "%lld,%.8f,%d\n", static_cast<long long>(i),
                 static_cast<double>(data.p[static_cast<std::size_t>(i)]),
                 data.y[static_cast<std::size_t>(i)]);
  const auto size = static_cast<double>(std::ftell(f));
  std::fclose(f);
  LoadOptions one_thread;
  one_thread.threads = 1;
  b.run(
      "CSV, two of three columns, one thread", 0, 3,
      [&] { (void)load(std::vector<std::string>{path + ":p,y"}, one_thread); }, size / 150e6);
  std::printf("%-46s %9.0f MB/s\n", "", size / b.cases().back().seconds / 1e6);
  std::remove(path.c_str());
}

}  // namespace

void table_cases(Bench& b) {
  binary_cases(b);
  multiclass_cases(b);
  sorted_cases(b);
  csv_case(b);
}

}  // namespace plumb::bench
