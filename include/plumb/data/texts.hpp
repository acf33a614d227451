// Many texts: their bytes one after the other, and where each ends.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

namespace detail {
class GrowingBytes;
}

/// Beyond a fixed budget of the process the bytes are in an unnamed temporary file, in TMPDIR or /var/tmp.
class Texts {
 public:
  Texts();
  explicit Texts(std::span<const std::string> texts);
  Texts(Texts&&) noexcept;
  Texts& operator=(Texts&&) noexcept;
  ~Texts();

  void add(std::string_view text);
  /// Nothing will be added.
  void close();
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] std::string_view operator[](std::int64_t i) const;  ///< i is not checked

  friend bool operator==(const Texts& a, const Texts& b);

 private:
  std::unique_ptr<detail::GrowingBytes> ends_, bytes_;
};

}  // namespace plumb
