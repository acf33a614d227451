#include "plumb/io/manifest.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "io/layout_files.hpp"
#include "io/text.hpp"
#include "plumb/data/check.hpp"

namespace plumb {
namespace {

class ManifestTable {
 public:
  explicit ManifestTable(const std::string& path)
      : array_(load_one({path, ""}, {.want = Want::text})),
        folder_(std::filesystem::path(path).parent_path()) {
    const std::set<std::string> distinct(array_.columns.begin(), array_.columns.end());
    if (distinct.size() != array_.columns.size()) throw InputError(path + " has two columns of one name");
  }
  [[nodiscard]] std::int64_t rows() const { return array_.shape[0]; }
  [[nodiscard]] const std::vector<std::string>& columns() const { return array_.columns; }
  [[nodiscard]] int find(const std::string& column) const {
    const auto at = std::find(columns().begin(), columns().end(), column);
    return at == columns().end() ? -1 : static_cast<int>(at - columns().begin());
  }
  [[nodiscard]] int need(const std::string& column, const std::string& why) const {
    const int at = find(column);
    if (at < 0)
      throw InputError(array_.name + " has no column " + detail::in_quotes(column) +
                       did_you_mean(column, columns()) + "; " + why);
    return at;
  }
  [[nodiscard]] std::string text(std::int64_t row, int column) const {
    return std::string((*array_.text)[row * std::ssize(columns()) + column]);
  }
  [[nodiscard]] std::string where(std::int64_t row) const {
    return array_.name + ", line " + std::to_string(row + 2);
  }
  [[nodiscard]] Source source(std::int64_t row, int column, const std::string& of, bool must_exist) const {
    const std::string name = text(row, column);
    if (name.empty()) return {};
    const std::string path = std::filesystem::path(name).is_absolute() ? name : (folder_ / name).string();
    std::vector<Source> found;
    try {
      found = resolve(std::span(&path, 1));
    } catch (const InputError& e) {
      if (must_exist) throw InputError("case " + of + ": " + e.sentence());
      return {path, ""};  // said again when the case is read
    }
    if (found.size() != 1)
      throw InputError(where(row) + ": " + detail::in_quotes(name) + " is " + std::to_string(found.size()) +
                       " files, and a case has one file in column " + columns()[column]);
    return found.front();
  }

 private:
  Array array_;
  std::filesystem::path folder_;
};

}  // namespace

Manifest read_manifest(const std::string& path, const std::vector<std::string>& by, bool all_exist,
                       bool rated, const std::string& model) {
  const ManifestTable table(path);
  Manifest out;
  out.path = path;
  out.logits = model.empty() && table.find("probs") < 0 && table.find("logits") >= 0;
  if (model.empty() && table.find("probs") >= 0 && table.find("logits") >= 0)
    throw InputError(path + " has a column probs and a column logits; keep the one that is to be evaluated");
  const int name = table.need("case", "it names the case of each row");
  const int probs = out.logits ? table.find("logits")
                    : !model.empty()
                        ? table.need(model, "it names the file that the model takes")
                        : table.need("probs", "it names the file with the model's probabilities");
  const int roi = table.find("roi"), group = table.find("group");
  out.grouped = group >= 0;
  std::vector<int> raters, slices, further;
  for (int c = 0; c < std::ssize(table.columns()); ++c) {
    if (detail::names_rater(table.columns()[c])) {
      raters.push_back(c);
    } else if (c != name && c != probs && c != roi && c != group) {
      further.push_back(c);
      out.further.push_back(table.columns()[c]);
    }
  }
  if (raters.empty() && rated)
    throw InputError(path + " names no masks; give them in columns rater_1, rater_2, ... or mask_1, ...");
  for (const std::string& column : by)
    slices.push_back(table.need(column, "⟦by⟧ names columns of the manifest"));
  std::set<std::string> seen;
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    ManifestCase c;
    c.name = table.text(row, name);
    if (c.name.empty()) throw InputError(table.where(row) + ": the case has no name");
    if (!seen.insert(c.name).second)
      throw InputError(table.where(row) + ": case " + detail::in_quotes(c.name) + " appears twice");
    const auto source = [&](int column) { return table.source(row, column, c.name, false); };
    c.probs = source(probs);
    if (c.probs.path.empty())
      throw InputError(table.where(row) + ": case " + detail::in_quotes(c.name) +
                       " has no file of probabilities");
    for (const int r : raters)
      if (Source s = source(r); !s.path.empty()) c.raters.emplace_back(table.columns()[r], s);
    if (c.raters.empty() && rated)
      throw InputError(table.where(row) + ": case " + detail::in_quotes(c.name) +
                       " has no mask of any rater");
    if (roi >= 0) c.roi = source(roi);
    if (group >= 0) c.group = table.text(row, group);
    if (group >= 0 && c.group.empty())
      throw InputError(table.where(row) + ": case " + detail::in_quotes(c.name) + " has no group");
    for (const int s : slices) c.slices.push_back(table.text(row, s));
    for (const int column : further) c.further.push_back(table.text(row, column));
    out.cases.push_back(std::move(c));
  }
  std::vector<int> files{probs};
  files.insert(files.end(), raters.begin(), raters.end());
  if (roi >= 0) files.push_back(roi);
  for (std::int64_t row = 0; all_exist && row < table.rows(); ++row)
    for (const int column : files) (void)table.source(row, column, out.cases[row].name, true);
  if (out.cases.empty()) throw InputError(path + " has no cases: there is nothing below its header");
  return out;
}

}  // namespace plumb
