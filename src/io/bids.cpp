// BIDS derivatives: sub-01/anat/sub-01_desc-anna_mask.nii.gz.
#include <algorithm>
#include <map>
#include <optional>

#include "io/layout_files.hpp"
#include "plumb/data/check.hpp"
#include "plumb/io/case_layout.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

struct BidsName {
  std::string scan;  ///< entities other than desc, label, rater
  std::string subject, desc, rater, suffix;
};

std::optional<BidsName> bids_name(const std::string& file) {
  const std::string stem = detail::stem_without(file, {".nii.gz", ".nii"});
  if (!stem.starts_with("sub-")) return std::nullopt;
  BidsName out;
  for (std::size_t begin = 0; begin <= stem.size();) {
    const std::size_t end = std::min(stem.find('_', begin), stem.size());
    const std::string part = stem.substr(begin, end - begin);
    const std::string key = part.substr(0, part.find('-'));
    begin = end + 1;
    if (key == part) {
      out.suffix = part;  // the last one has no value
      continue;
    }
    const std::string value = part.substr(key.size() + 1);
    if (key == "sub") out.subject = value;
    if (key == "desc") {
      out.desc = value;
    } else if (key == "rater") {
      out.rater = value;
    } else if (key != "label") {
      out.scan += (out.scan.empty() ? "" : "_") + part;
    }
  }
  return out;
}

/// The pipeline's folder: the first one below the root, or below its derivatives.
std::string bids_pipeline(const fs::path& root, const fs::path& file) {
  const fs::path relative = file.lexically_relative(root);
  auto at = relative.begin();
  if (at != relative.end() && *at == "derivatives") ++at;
  return at == relative.end() ? "" : at->string();
}

}  // namespace

Manifest bids_manifest(const std::string& folder, bool rated) {
  Manifest out;
  out.path = folder;
  out.grouped = true;
  std::map<std::string, ManifestCase> cases;
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::pair<std::string, Source>>> masks;
  for (const fs::path& file : detail::entries_of(folder, true)) {
    const std::optional<BidsName> name = bids_name(file.filename().string());
    if (!name) continue;
    if (name->suffix == "probseg") {
      ManifestCase& c = cases[name->scan];
      if (!c.name.empty())
        throw InputError("case " + name->scan + ": " + c.probs.path + " and " + file.string() +
                         " are both probabilities of it; give a folder with those of one model");
      c.name = name->scan;
      c.group = name->subject;
      c.probs = {file.string(), ""};
      order.push_back(name->scan);
    } else if (name->suffix == "dseg" || name->suffix == "mask") {
      const std::string rater = !name->rater.empty()  ? name->rater
                                : !name->desc.empty() ? name->desc
                                                      : bids_pipeline(folder, file);
      auto& own = masks[name->scan];
      for (const auto& [other, source] : own)
        if (other == rater)
          throw InputError("case " + name->scan + ": " + source.path + " and " + file.string() +
                           " are both masks of rater " + rater);
      own.emplace_back(rater, Source{file.string(), ""});
    }
  }
  if (order.empty())
    throw InputError(folder +
                     " has no file sub-..._probseg.nii.gz, which is the BIDS name of a probability map");
  for (const std::string& scan : order) {
    ManifestCase c = std::move(cases[scan]);
    c.raters = masks[scan];
    if (c.raters.empty() && rated)
      throw InputError("case " + scan + ": there is no " + scan + "..._dseg.nii.gz or " + scan +
                       "..._mask.nii.gz below " + folder);
    out.cases.push_back(std::move(c));
  }
  return out;
}

}  // namespace plumb
