// libplumb_pictures.so: SVG -> PDF or PNG, with librsvg and cairo.
#include <cairo-pdf.h>
#include <librsvg/rsvg.h>
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "figures/abi.hpp"

#define PLUMB_EXPORT extern "C" __attribute__((visibility("default")))

namespace plumb::detail {
namespace {

struct Release {
  void operator()(RsvgHandle* x) const { g_object_unref(x); }
  void operator()(GInputStream* x) const { g_object_unref(x); }
  void operator()(cairo_surface_t* x) const { cairo_surface_destroy(x); }
  void operator()(cairo_t* x) const { cairo_destroy(x); }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

bool fail(Sink why, const std::string& words) {
  why.take(why.to, words.data(), words.size());
  return false;
}

bool fail(Sink why, GError* error) {
  const std::string words = error == nullptr ? "librsvg does not say why" : error->message;
  if (error != nullptr) g_error_free(error);
  return fail(why, words.substr(0, words.find('\n')));
}

cairo_status_t append(void* out, const unsigned char* bytes, unsigned size) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

/// Of a length in millimetres, as our SVG has it; otherwise pixels of 1/96 inch. librsvg reads
/// single precision.
double inches(const RsvgLength& length) {
  const double exact = std::round(1000 * length.length) / 1000;
  return length.unit == RSVG_UNIT_MM ? exact / 25.4 : exact / 96;
}

bool render(RsvgHandle* svg, cairo_surface_t* surface, double width, double height, Sink why) {
  const Owned<cairo_t> cairo(cairo_create(surface));
  const RsvgRectangle all{0, 0, width, height};
  GError* error = nullptr;
  if (rsvg_handle_render_document(svg, cairo.get(), &all, &error) == 0) return fail(why, error);
  const cairo_status_t status = cairo_status(cairo.get());
  return status == CAIRO_STATUS_SUCCESS || fail(why, std::string(cairo_status_to_string(status)));
}

bool make_pdf(RsvgHandle* svg, double width, double height, std::string& out, Sink why) {
  const Owned<cairo_surface_t> surface(
      cairo_pdf_surface_create_for_stream(append, &out, 72 * width, 72 * height));
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
  if (!render(svg, surface.get(), 72 * width, 72 * height, why)) return false;
  cairo_surface_finish(surface.get());
  const cairo_status_t status = cairo_surface_status(surface.get());
  return status == CAIRO_STATUS_SUCCESS || fail(why, std::string(cairo_status_to_string(status)));
}

std::string big_endian(std::uint32_t x) {
  return {static_cast<char>(x >> 24U), static_cast<char>(x >> 16U), static_cast<char>(x >> 8U),
          static_cast<char>(x)};
}

/// Pixels per metre, after the first chunk (8 + 25 bytes), where the PNG specification wants it: before
/// the image.
void say_resolution(std::string& png, double dpi) {
  const std::string per_metre = big_endian(static_cast<std::uint32_t>(std::lround(dpi / 0.0254)));
  const std::string chunk = "pHYs" + per_metre + per_metre + '\x01';
  const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()));
  png.insert(33, big_endian(9) + chunk + big_endian(static_cast<std::uint32_t>(sum)));
}

bool make_png(RsvgHandle* svg, double width, double height, double dpi, std::string& out, Sink why) {
  constexpr double kMostPixels = 30000;  // on a side; cairo has 32767
  const double columns = std::round(dpi * width), rows = std::round(dpi * height);
  if (columns > kMostPixels || rows > kMostPixels)
    return fail(why, "it would have more than 30000 pixels on a side");
  const Owned<cairo_surface_t> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(columns), static_cast<int>(rows)));
  {
    const Owned<cairo_t> paper(cairo_create(surface.get()));  // the figure may end within the last pixels
    cairo_set_source_rgb(paper.get(), 1, 1, 1);
    cairo_paint(paper.get());
  }
  if (!render(svg, surface.get(), columns, rows, why)) return false;
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append, &out);
  if (status != CAIRO_STATUS_SUCCESS) return fail(why, std::string(cairo_status_to_string(status)));
  say_resolution(out, dpi);
  return true;
}

}  // namespace
}  // namespace plumb::detail

PLUMB_EXPORT int plumb_plugin_abi() { return plumb::detail::kPicturesAbi; }

PLUMB_EXPORT bool plumb_pictures_make(const char* text, std::size_t size, double dpi, plumb::detail::Sink out,
                                      plumb::detail::Sink why) {
  using namespace plumb::detail;
  const Owned<GInputStream> stream(
      g_memory_input_stream_new_from_data(text, static_cast<gssize>(size), nullptr));
  GError* error = nullptr;
  const Owned<RsvgHandle> svg(rsvg_handle_new_from_stream_sync(
      stream.get(), nullptr, RSVG_HANDLE_FLAG_UNLIMITED, nullptr, &error));  // no base: nothing is fetched
  if (svg == nullptr) return fail(why, error);
  gboolean has_width = 0, has_height = 0;
  RsvgLength width{}, height{};
  rsvg_handle_get_intrinsic_dimensions(svg.get(), &has_width, &width, &has_height, &height, nullptr, nullptr);
  if (has_width == 0 || has_height == 0 || width.unit == RSVG_UNIT_PERCENT ||
      height.unit == RSVG_UNIT_PERCENT || !(width.length > 0) || !(height.length > 0))
    return fail(why, "it has no size");
  std::string made;
  const bool well = dpi > 0 ? make_png(svg.get(), inches(width), inches(height), dpi, made, why)
                            : make_pdf(svg.get(), inches(width), inches(height), made, why);
  if (well) out.take(out.to, made.data(), made.size());
  return well;
}
