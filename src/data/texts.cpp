#include "plumb/data/texts.hpp"

#include <cstring>

#include "data/shared/growing_bytes.hpp"

namespace plumb {

Texts::Texts()
    : ends_(std::make_unique<detail::GrowingBytes>()), bytes_(std::make_unique<detail::GrowingBytes>()) {}
Texts::Texts(Texts&&) noexcept = default;
Texts& Texts::operator=(Texts&&) noexcept = default;
Texts::~Texts() = default;

Texts::Texts(std::span<const std::string> texts) : Texts() {
  for (const std::string& t : texts) add(t);
  close();
}

void Texts::add(std::string_view text) {
  if (!text.empty()) std::memcpy(bytes_->grow(text.size()), text.data(), text.size());
  const std::uint64_t end = bytes_->size();
  std::memcpy(ends_->grow(sizeof end), &end, sizeof end);
}

void Texts::close() {
  ends_->close();
  bytes_->close();
}

std::int64_t Texts::size() const { return static_cast<std::int64_t>(ends_->size() / sizeof(std::uint64_t)); }

std::string_view Texts::operator[](std::int64_t i) const {
  const auto* const end = reinterpret_cast<const std::uint64_t*>(std::as_const(*ends_).data()) + i;
  const std::uint64_t begin = i == 0 ? 0 : end[-1];
  if (begin == *end) return {};
  return {reinterpret_cast<const char*>(std::as_const(*bytes_).data()) + begin, *end - begin};
}

bool operator==(const Texts& a, const Texts& b) {
  if (a.size() != b.size()) return false;
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

}  // namespace plumb
