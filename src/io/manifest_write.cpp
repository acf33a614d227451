#include <algorithm>
#include <filesystem>

#include "data/shared/csv_field.hpp"
#include "io/layout_files.hpp"
#include "plumb/io/manifest.hpp"

namespace plumb {
namespace {

std::string table_line(const std::vector<std::string>& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) out += (i > 0 ? "," : "") + detail::csv_field(fields[i]);
  return out + "\n";
}

std::string seen_from(const std::string& folder, const Source& source) {
  if (source.path.empty()) return "";
  std::error_code error;
  const std::filesystem::path path = std::filesystem::relative(source.path, folder, error);
  return (error || path.empty() ? std::filesystem::absolute(source.path) : path).string() +
         (source.selection.empty() ? "" : ":" + source.selection);
}

}  // namespace

std::string manifest_text(const Manifest& manifest, const std::vector<std::string>& probs,
                          const std::string& folder) {
  std::vector<std::string> raters, columns{"case", "probs"};
  bool roi = false;
  for (const ManifestCase& c : manifest.cases) {
    roi = roi || !c.roi.path.empty();
    for (const auto& [column, source] : c.raters)
      if (std::find(raters.begin(), raters.end(), column) == raters.end()) raters.push_back(column);
  }
  for (const std::string& rater : raters)
    columns.push_back(detail::names_rater(rater) ? rater : "rater_" + rater);
  if (roi) columns.emplace_back("roi");
  if (manifest.grouped) columns.emplace_back("group");
  // A table with probabilities may have logits too: they are still those of before.
  columns.insert(columns.end(), manifest.further.begin(), manifest.further.end());
  std::string out = table_line(columns);
  for (std::size_t i = 0; i < manifest.cases.size(); ++i) {
    const ManifestCase& c = manifest.cases[i];
    std::vector<std::string> fields{c.name, probs.at(i)};
    for (const std::string& column : raters) {
      const auto at = std::find_if(c.raters.begin(), c.raters.end(),
                                   [&](const auto& rater) { return rater.first == column; });
      fields.push_back(at == c.raters.end() ? "" : seen_from(folder, at->second));
    }
    if (roi) fields.push_back(seen_from(folder, c.roi));
    if (manifest.grouped) fields.push_back(c.group);
    fields.insert(fields.end(), c.further.begin(), c.further.end());
    out += table_line(fields);
  }
  return out;
}

}  // namespace plumb
