// Counts by bin that add up across batches and machines (plumb.torchmetrics), and the empirical probabilities
// of CaPE (plumb.train).
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <memory>

#include "arrays.hpp"
#include "options.hpp"
#include "plumb/data/check.hpp"
#include "plumb/metrics/ordered/empirical.hpp"
#include "plumb/metrics/streaming/calibration_error.hpp"
#include "plumb/numeric/fixed_point.hpp"
#include "plumb/numeric/parallel.hpp"
#include "plumb/plumb.hpp"
#include "results.hpp"
#include "run.hpp"

namespace plumb::python {
namespace {

// A table as whole numbers: forecasts, hits, and the sum of p in units of 2^-50 as high 2^32 + low. They may
// be added 2^31 times before the last row overflows.
enum Row { kForecasts, kHits, kHigh, kLow, kRows };
constexpr int kLowBits = 32;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

BinEdges width_bins(int bins) {
  BinEdges out;
  out.bins = bins;
  return out;
}

ReliabilityTable table_of(const Items& items, Event event, int bins) {
  struct Worker {
    ItemBlock block;
    Forecasts forecasts;
    TableBuilder builder;
  };
  std::vector<Worker> workers(resolve_threads(0), {{}, {}, TableBuilder(width_bins(bins))});
  parallel_blocks(items.size(), block_rows(items), 0, [&](int worker, std::int64_t begin, std::int64_t end) {
    Worker& w = workers[worker];
    read_items(items, begin, end, w.block);
    project(w.block, event, w.forecasts);
    w.builder.update(w.forecasts.view());
  });
  ReliabilityTable out(width_bins(bins));
  for (Worker& w : workers) out.merge(w.builder.finish());
  return out;
}

/// A sum of single forecasts in units of 2^-50.
uint128 fixed_sum(const ExactSum& sum) {
  constexpr int kShift = -ExactSum::kLowestExponent - kFractionBits - 128;
  const auto& limbs = sum.limbs();
  return (uint128{limbs[3]} << 64 | limbs[2]) >> kShift;
}

nb::object calibration_table(nb::handle probs, nb::handle labels, int bins) {
  check_bins(bins);
  Arguments arguments;
  ItemColumns columns;
  columns.probs = arguments.data("probs", probs);
  columns.labels = arguments.data("labels", labels);
  std::vector<std::int64_t> out(std::size_t{kRows} * bins);
  {
    const nb::gil_scoped_release without_lock;
    const ReliabilityTable table = table_of(make_items(columns), Event::positive, bins);
    for (int b = 0; b < bins; ++b) {
      const Bin& bin = table.bins[b];
      const uint128 sum = fixed_sum(bin.wp);
      out[kForecasts * bins + b] = static_cast<std::int64_t>(bin.items);
      out[kHits * bins + b] = static_cast<std::int64_t>(bin.wy.value());
      out[kHigh * bins + b] = static_cast<std::int64_t>(sum >> kLowBits);
      out[kLow * bins + b] = static_cast<std::int64_t>(sum & ((std::uint64_t{1} << kLowBits) - 1));
    }
  }
  return numpy_array(std::move(out), {kRows, bins});
}

/// NaN for a table without forecasts.
double calibration_error(const Integers& given, const std::string& norm) {
  if (given.shape(0) != kRows) throw InputError("a table has four rows of whole numbers");
  const int bins = narrow<int>(given.shape(1));
  ReliabilityTable table(width_bins(bins));
  for (int b = 0; b < bins; ++b) {
    Bin& bin = table.bins[b];
    bin.items = bin.votes = static_cast<std::uint64_t>(given(kForecasts, b));
    bin.w.add_scaled(given(kForecasts, b), 0);
    bin.wy.add_scaled(given(kHits, b), 0);
    bin.wp.add_scaled((int128{given(kHigh, b)} << kLowBits) + given(kLow, b), -kFractionBits);
  }
  const Estimate error = norm == "l2" ? ece_l2(table) : norm == "max" ? mce(table) : ece(table);
  return error ? *error.value : std::numeric_limits<double>::quiet_NaN();
}

/// N numbers from 0 to 1.
std::vector<double> unit_column(Arguments& arguments, const char* name, nb::handle value) {
  const Rows rows = arguments.data(name, value).rows(name);
  if (rows.empty() || rows.is_text() || rows.width() != 1)
    throw InputError(std::string(name) + " takes one number per item");
  std::vector<double> out(rows.rows());
  rows.read(0, rows.rows(), out);
  for (std::int64_t i = 0; i < rows.rows(); ++i)
    if (!(out[i] >= 0 && out[i] <= 1))
      throw InputError(rows.where(i) + ": " + show(out[i]) + " is not in [0, 1]");
  return out;
}

nb::object empirical_probabilities(nb::handle p, nb::handle y, const std::string& method, nb::dict keywords) {
  Arguments arguments;
  const std::vector<double> forecasts = unit_column(arguments, "p", p);
  const std::vector<double> outcomes = unit_column(arguments, "y", y);
  EmpiricalOptions o;
  const Keywords given(std::move(keywords));
  given.read("bins", o.bins);
  given.read("neighbours", o.neighbours);
  given.read("sigma", o.sigma);
  int threads = 0;
  given.read("threads", threads);
  check_threads(threads);
  std::vector<double> out = run(true, nb::none(), [&](const Hooks&) {
    return method == "bin" ? empirical_by_bins(forecasts, outcomes, o.bins, threads)
                           : empirical_by_kernel(forecasts, outcomes, o.neighbours, o.sigma, threads);
  });
  const std::int64_t n = std::ssize(out);
  return numpy_array(std::move(out), {n});
}

}  // namespace

void bind_tables(nb::module_& m) {
  m.def("calibration_table", &calibration_table, nb::arg("probs"), nb::arg("labels"), nb::arg("bins"));
  m.def("calibration_error", &calibration_error, nb::arg("table"), nb::arg("norm"));
  m.def("empirical_probabilities", &empirical_probabilities, nb::arg("p"), nb::arg("y"), nb::arg("method"),
        nb::arg("options"));
}

}  // namespace plumb::python
