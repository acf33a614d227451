#include "io/format.hpp"

#include <algorithm>
#include <string_view>

#include "io/text.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

struct Unreadable {
  std::string_view extension, what, remedy;
};
constexpr std::string_view kSaveNpy = "save the array as .npy";
constexpr std::string_view kSavePixels =
    "save the pixels as .npy, for example with Pillow: np.save(..., np.asarray(image))";
constexpr Unreadable kUnreadable[] = {
    {".gz", "gzip", "decompress it first, for example with gunzip"},
    {".xlsx", "Excel", "save the sheet as .csv"},
    {".pkl", "pickle", kSaveNpy},
    {".pickle", "pickle", kSaveNpy},
    {".pt", "PyTorch", "save the tensor as .npy: np.save(..., t.numpy())"},
    {".pth", "PyTorch", "save the tensor as .npy: np.save(..., t.numpy())"},
    {".mat", "MATLAB", kSaveNpy},
    {".h5", "HDF5", kSaveNpy},
    {".hdf5", "HDF5", kSaveNpy},
    {".json", "JSON", "write one object per line as .jsonl, for example with jq -c '.[]'"},
    {".xls", "Excel", "save the sheet as .csv"},
    {".ods", "OpenDocument", "save the sheet as .csv"},
    {".rds", "R", "save the table as .csv: write.csv(..., row.names = FALSE)"},
    {".jpg", "JPEG", kSavePixels},
    {".jpeg", "JPEG", kSavePixels},
    {".tif", "TIFF", kSavePixels},
    {".tiff", "TIFF", kSavePixels},
    {".pdf", "PDF", "save the numbers as .csv or .npy"},
};

/// Beginnings of files that cannot be read.
struct Mark {
  std::string_view bytes, what;
};
constexpr Mark kUnreadableMarks[] = {
    {"\x1f\x8b", "gzip"}, {"\x89HDF", "HDF5"}, {"\xff\xd8\xff", "JPEG"}, {"%PDF-", "PDF"}};

[[noreturn]] void refuse(const std::string& path, std::string_view what, std::string_view remedy) {
  throw InputError(path + " is in " + std::string(what) + " format, which this version cannot read; " +
                   std::string(remedy));
}

[[noreturn]] void refuse_mark(const std::string& path, std::string_view what) {
  for (const Unreadable& u : kUnreadable)
    if (u.what == what) refuse(path, what, u.remedy);
  refuse(path, what, kSaveNpy);
}

std::string_view beginning(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 1 << 16)};
}

bool begins_with_mark(const Format& f, std::string_view text) {
  return std::any_of(f.marks.begin(), f.marks.end(),
                     [&](std::string_view mark) { return !mark.empty() && text.starts_with(mark); });
}

const Format* by_mark(std::string_view text) {
  for (const Format& f : formats())
    if (begins_with_mark(f, text)) return &f;
  return nullptr;
}

const Format* by_extension(const std::string& path) {
  const std::string p = lower(path);
  for (const Format& f : formats())
    if (p.ends_with(f.extension)) return &f;
  return nullptr;
}

/// Text without an extension that tells: a brace first makes it JSON lines; a tab in the first line, and no
/// comma, makes it tab-separated.
const Format& sniff_text(const std::string& path, std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    throw InputError(
        path +
        " is not in a format that Plumb reads (.npy, .npz, .csv, .tsv, .jsonl, .parquet, .arrow, .nii, .nii.gz, .png)");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return *by_extension(".jsonl");
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool tabs = line.find('\t') != std::string_view::npos && line.find(',') == std::string_view::npos;
  return *by_extension(tabs ? ".tsv" : ".csv");
}

}  // namespace

void refuse_unreadable_name(const std::string& path) {
  const std::string p = lower(path);
  for (const Unreadable& u : kUnreadable)
    if (p.ends_with(u.extension)) refuse(path, u.what, u.remedy);
}

const Format& format_of(const std::string& path, std::span<const std::byte> bytes) {
  const Format* const named = by_extension(path);
  const std::string_view text = beginning(bytes);
  if (named != nullptr && begins_with_mark(*named, text)) return *named;  // gzip is fine for .nii.gz alone
  for (const Mark& m : kUnreadableMarks)
    if (text.starts_with(m.bytes)) refuse_mark(path, m.what);
  const Format* const marked = by_mark(text);
  if (named != nullptr && marked == nullptr) return *named;  // the reader complains of a wrong beginning
  if (named == nullptr) refuse_unreadable_name(path);        // .xlsx and .pt are zip archives too
  if (marked == nullptr) return sniff_text(path, text);
  if (named != nullptr && named != marked)
    throw InputError(path + " is a " + std::string(marked->extension) +
                     " file under another name; rename it");
  return *marked;
}

}  // namespace plumb::detail
