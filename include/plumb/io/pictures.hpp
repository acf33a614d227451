// A picture of each item, small enough for the report page: from an array, or from image files that a
// table names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plumb/data/array.hpp"

namespace plumb {

inline constexpr int kThumbnailPixels = 64;               ///< the longer side of a picture from an array
inline constexpr std::size_t kMostPictureBytes = 200000;  ///< of an image file

/// A PNG file, of 8 bits per channel; channels: 1 grey, 3 colour, 4 colour with opacity. `pixels` by row,
/// then column, then channel.
[[nodiscard]] std::string encode_png(std::span<const std::uint8_t> pixels, int height, int width,
                                     int channels);

/// "data:image/png;base64,..." of a PNG file.
[[nodiscard]] std::string png_uri(std::string_view png);

class Pictures {
 public:
  /// N x H x W, N x C x H x W or N x H x W x C (C is 1, 3 or 4; channels first where both could be), or a
  /// column of paths, looked up beside `table` and then in the working directory. Throws InputError.
  Pictures(Rows rows, std::string table);

  [[nodiscard]] std::int64_t size() const { return rows_.rows(); }
  [[nodiscard]] std::string name() const { return rows_.name(); }
  /// "data:image/png;base64,..."; empty for a file of more than kMostPictureBytes. Bytes are shown unchanged;
  /// other numbers are scaled from [0, 1] if they lie there, otherwise from the picture's minimum to its
  /// maximum. Throws InputError for a file that is missing or no PNG, JPEG, GIF or WebP.
  [[nodiscard]] std::string data_uri(std::int64_t row) const;

 private:
  [[nodiscard]] std::string from_array(std::int64_t row) const;
  [[nodiscard]] std::string from_file(std::int64_t row) const;

  Rows rows_;
  std::string folder_;
  std::int64_t height_ = 0, width_ = 0, channels_ = 1;
  bool channels_last_ = true;
};

}  // namespace plumb
