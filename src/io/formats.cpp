// The formats that can be read, one row each.
#include "io/arrow_files.hpp"
#include "io/describe_facts.hpp"
#include "io/format.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/csv.hpp"
#include "plumb/io/json_lines.hpp"
#include "plumb/io/nifti.hpp"
#include "plumb/io/npy.hpp"
#include "plumb/io/npz.hpp"
#include "plumb/io/png.hpp"

namespace plumb::detail {
namespace {

using namespace std::string_view_literals;

Array npy_of(const File& file, const std::string& path) { return parse_npy(file->bytes(), file, path); }
Array nifti_of(const File& file, const std::string& path) {
  return parse_nifti(file->bytes(), file, path).array;
}
Array png_of(const File& file, const std::string& path) { return parse_png(file->bytes(), path); }

// Formats whose files are one array.
template <Array (*parse)(const File&, const std::string&)>
Array read_single(const File& file, const Source& source, const LoadOptions&) {
  if (!source.selection.empty())
    throw InputError(source.path + " holds one array; \":" + source.selection + "\" selects nothing in it");
  return parse(file, source.path);
}

template <Array (*parse)(const File&, const std::string&)>
std::vector<ArrayInfo> describe_single(const File& file, const std::string& path, int threads) {
  std::vector<ArrayInfo> infos(1);
  infos[0].name = infos[0].path = path;
  describe_array(parse(file, path), threads, infos[0]);
  return infos;
}

/// A picture or volume is one file of a case: its voxels are not rows of items.
template <Array (*parse)(const File&, const std::string&)>
std::vector<ArrayInfo> describe_image(const File& file, const std::string& path, int threads) {
  std::vector<ArrayInfo> infos = describe_single<parse>(file, path, threads);
  ArrayInfo& a = infos[0];
  a.uses.clear();
  if (a.finite == 0) return infos;
  if (a.integers) {
    a.uses.push_back({"manifest", "whole numbers: a mask; name it in a column rater_1 of the manifest"});
  } else if (a.min >= 0 && a.max <= 1) {
    a.uses.push_back({"manifest", "values between 0 and 1; name it in the column probs of the manifest"});
  }
  return infos;
}

Array read_npz_file(const File& file, const Source& source, const LoadOptions&) {
  return parse_npz(file->bytes(), file, source.path, source.selection);
}

std::vector<ArrayInfo> describe_npz(const File& file, const std::string& path, int threads) {
  std::vector<ArrayInfo> infos;
  for (const std::string& member : npz_names(file->bytes(), path)) {
    ArrayInfo& info = infos.emplace_back();
    info.path = path;
    info.member = member;
    info.name = path + ":" + member;
    try {
      describe_array(parse_npz(file->bytes(), file, path, member), threads, info);
    } catch (const InputError& e) {
      info.problem = e.sentence();
    }
  }
  return infos;
}

template <char delimiter>
Array read_csv_file(const File& file, const Source& source, const LoadOptions& options) {
  return parse_csv(file->bytes(), source.path, source.selection,
                   {.delimiter = delimiter,
                    .want = options.want,
                    .empty_is_nan = options.empty_is_nan,
                    .threads = options.threads});
}

template <char delimiter>
std::vector<ArrayInfo> describe_csv_file(const File& file, const std::string& path, int threads) {
  return describe_csv(file->bytes(), path, delimiter, threads);
}

Array read_json_lines_file(const File& file, const Source& source, const LoadOptions& options) {
  return parse_json_lines(
      file->bytes(), source.path, source.selection,
      {.want = options.want, .empty_is_nan = options.empty_is_nan, .threads = options.threads});
}

std::vector<ArrayInfo> describe_json_lines_file(const File& file, const std::string& path, int threads) {
  return describe_columns(
      json_lines_columns(file->bytes(), path), path, threads, [&](const std::string& selection) {
        return read_json_lines_file(file, {path, selection}, {Want::either, true, threads});
      });
}

constexpr Format kFormats[] = {
    {".npy", {"\x93NUMPY"}, read_single<npy_of>, describe_single<npy_of>},
    {".npz", {"PK\x03\x04", "PK\x05\x06"}, read_npz_file, describe_npz},
    {".nii", {"\x5c\x01\0\0"sv, "\x1c\x02\0\0"sv}, read_single<nifti_of>, describe_image<nifti_of>},
    {".nii.gz", {"\x1f\x8b"}, read_single<nifti_of>, describe_image<nifti_of>},
    {".png", {"\x89PNG"}, read_single<png_of>, describe_image<png_of>},
    {".csv", {}, read_csv_file<','>, describe_csv_file<','>},
    {".tsv", {}, read_csv_file<'\t'>, describe_csv_file<'\t'>},
    {".jsonl", {}, read_json_lines_file, describe_json_lines_file},
    {".ndjson", {}, read_json_lines_file, describe_json_lines_file},
    {".parquet", {"PAR1"}, read_arrow_file, describe_arrow_file},
    {".arrow", {"ARROW1"}, read_arrow_file, describe_arrow_file},
    {".feather", {"ARROW1", "FEA1"}, read_arrow_file, describe_arrow_file},
    {".ipc", {"ARROW1"}, read_arrow_file, describe_arrow_file},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

}  // namespace plumb::detail
