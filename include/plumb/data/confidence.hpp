// The confidence column of a binary task without a copy of it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "plumb/data/forecasts.hpp"

namespace plumb {

/// The column of max(p, 1 - p) (Event::top) of a binary task in ascending order, read off that of p in
/// ascending order a stretch at a time. Equal values are in one stretch. `ascending` must outlive it and has
/// no `times`.
class ConfidenceColumn {
 public:
  explicit ConfidenceColumn(const ForecastsView& ascending);
  [[nodiscard]] const ForecastsView& source() const { return f_; }
  [[nodiscard]] std::int64_t stretches() const { return std::ssize(ends_); }
  void read(std::int64_t stretch, Forecasts& out) const;  ///< `out` is overwritten
  /// use(view) for every stretch, one after the other from the first or from the last. Stretches are read
  /// some way ahead of that, in parallel.
  void each(bool from_last, int threads, const std::function<void(const ForecastsView&)>& use) const;
  friend Forecasts confidence_of(const Forecasts& ascending, int threads);

 private:
  struct Place {
    std::size_t lows, highs;  // how many rows of each half lie before
    [[nodiscard]] std::size_t rows() const { return lows + highs; }
  };
  struct Target {
    double *p, *hits, *trials, *weight;
  };
  void read(std::int64_t stretch, const Target& to) const;
  [[nodiscard]] double low(std::size_t i) const { return 1.0 - f_.p[lows_ - 1 - i]; }
  [[nodiscard]] double high(std::size_t j) const { return f_.p[lows_ + j]; }
  ForecastsView f_;
  std::size_t lows_, highs_;
  std::vector<Place> ends_;
};

}  // namespace plumb
