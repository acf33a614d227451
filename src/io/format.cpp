#include "io/format.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "io/text.hpp"
#include "plumb/data/check.hpp"

namespace plumb::detail {
namespace {

struct Unreadable {
  std::string_view extension;
  std::string_view what;
  std::string_view remedy;
};
constexpr std::string_view kSaveNpy = "save the array as .npy";
constexpr Unreadable kUnreadable[] = {
    {".parquet", "Parquet",
     "convert it to .csv or .npy, for example with pandas: read_parquet(...).to_csv(...)"},
    {".nii", "NIfTI", "save the voxels as .npy, for example with nibabel: np.save(..., img.get_fdata())"},
    {".nii.gz", "NIfTI", "save the voxels as .npy, for example with nibabel: np.save(..., img.get_fdata())"},
    {".gz", "gzip", "unpack it first, for example with gunzip"},
    {".xlsx", "Excel", "save the sheet as .csv"},
    {".pkl", "pickle", kSaveNpy},
    {".pickle", "pickle", kSaveNpy},
    {".pt", "PyTorch", "save the tensor as .npy: np.save(..., t.numpy())"},
    {".pth", "PyTorch", "save the tensor as .npy: np.save(..., t.numpy())"},
    {".mat", "MATLAB", kSaveNpy},
    {".h5", "HDF5", kSaveNpy},
    {".hdf5", "HDF5", kSaveNpy},
    {".json", "JSON", "save the numbers as .csv or .npy"},
};

struct Mark {
  std::string_view bytes;
  std::string_view what;
  std::optional<Format> format;
};
constexpr Mark kMarks[] = {
    {"\x93NUMPY", ".npy", Format::npy},
    {"PK\x03\x04", ".npz", Format::npz},
    {std::string_view("PK\x05\x06", 4), ".npz", Format::npz},
    {"PAR1", "Parquet", std::nullopt},
    {"\x1f\x8b", "gzip", std::nullopt},
    {"\x89HDF", "HDF5", std::nullopt},
};

[[noreturn]] void refuse(const std::string& path, std::string_view what, std::string_view remedy) {
  throw InputError(path + " is in " + std::string(what) + " format, which this version cannot read; " +
                   std::string(remedy));
}

[[noreturn]] void refuse_mark(const std::string& path, std::string_view what) {
  for (const Unreadable& u : kUnreadable) {
    if (u.what == what) refuse(path, what, u.remedy);
  }
  refuse(path, what, kSaveNpy);
}

const Mark* mark_of(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Mark& m : kMarks) {
    if (text.starts_with(m.bytes)) return &m;
  }
  return nullptr;
}

std::optional<Format> by_extension(const std::string& path) {
  const std::string p = lower(path);
  if (p.ends_with(".npy")) return Format::npy;
  if (p.ends_with(".npz")) return Format::npz;
  if (p.ends_with(".csv")) return Format::csv;
  if (p.ends_with(".tsv")) return Format::tsv;
  return std::nullopt;
}

/// Text without an extension that tells: a tab in the first line, and no comma, makes it tab-separated.
Format sniff_text(const std::string& path, std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min<std::size_t>(bytes.size(), 1 << 16));
  if (text.find('\0') != std::string_view::npos) {
    throw InputError(path + " is in no format that Plumb knows; it reads .npy, .npz, .csv and .tsv");
  }
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool tabs = line.find('\t') != std::string_view::npos && line.find(',') == std::string_view::npos;
  return tabs ? Format::tsv : Format::csv;
}

}  // namespace

void refuse_unreadable_name(const std::string& path) {
  const std::string p = lower(path);
  for (const Unreadable& u : kUnreadable) {
    if (p.ends_with(u.extension)) refuse(path, u.what, u.remedy);
  }
}

Format format_of(const std::string& path, std::span<const std::byte> bytes) {
  const std::optional<Format> named = by_extension(path);
  const Mark* const mark = mark_of(bytes);
  if (named && mark == nullptr) return *named;  // the reader itself complains about a wrong beginning
  if (mark == nullptr) {
    refuse_unreadable_name(path);
    return sniff_text(path, bytes);
  }
  if (!mark->format) refuse_mark(path, mark->what);
  if (!named) refuse_unreadable_name(path);  // .xlsx and .pt are zip archives too
  if (named && *named != *mark->format) {
    throw InputError(path + " is a " + std::string(mark->what) + " file under another name; rename it");
  }
  return *mark->format;
}

}  // namespace plumb::detail
