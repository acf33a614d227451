// What the plugins of figures export. Both sides include this file; a change of it takes another number.
#pragma once

#include <cstddef>

namespace plumb::detail {

inline constexpr int kFiguresAbi = 1;
inline constexpr int kPicturesAbi = 1;

/// Where bytes go: the answer, or one clause that says why there is none.
struct Sink {
  void (*take)(void* to, const char* bytes, std::size_t size);
  void* to;
};

// libplumb_figures.so. An engine is used by one thread at a time.
using FiguresOpen = void*(Sink why);  ///< plumb_figures_open: null when it fails
using FiguresDraw = bool(void* engine, const char* request, std::size_t size, Sink svg, Sink why);
using FiguresClose = void(void* engine);

// libplumb_pictures.so. dpi 0 asks for PDF.
using PicturesMake = bool(const char* svg, std::size_t size, double dpi, Sink out, Sink why);

}  // namespace plumb::detail
