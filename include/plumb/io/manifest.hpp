// A table of cases: which files belong to an image, who rated it, which patient it is of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plumb/io/load.hpp"

namespace plumb {

struct ManifestCase {
  std::string name;
  std::string group;  ///< empty: the table has no column `group`
  Source probs;
  std::vector<std::pair<std::string, Source>> raters;  ///< column and file; an empty field is no rater
  Source roi;                                          ///< path empty: none
  std::vector<std::string> slices;                     ///< values of the columns asked for
  std::vector<std::string> further;                    ///< values of Manifest::further
};

struct Manifest {
  std::string path;
  bool logits = false;  ///< the column is called `logits` and not `probs`
  bool grouped = false;
  std::vector<std::string> further;  ///< columns that mean nothing to Plumb
  std::vector<ManifestCase> cases;
};

/// Columns: case, probs (or logits), rater_* or mask_*, optional roi and group; `by` names further ones.
/// Paths are relative to the folder of the manifest. Nothing is opened yet; `all_exist` refuses at once what
/// is not there. Without `rated` no case needs a mask. `model`: the column in place of probs or logits, for
/// example the image that a network takes. Throws InputError.
[[nodiscard]] Manifest read_manifest(const std::string& path, const std::vector<std::string>& by = {},
                                     bool all_exist = true, bool rated = true, const std::string& model = "");

/// The same table for a manifest in `folder`, with other files of probabilities, one per case and relative to
/// the folder. The other files are named relative to it as well, and raters of a layout get rater_ before
/// their name.
[[nodiscard]] std::string manifest_text(const Manifest& manifest, const std::vector<std::string>& probs,
                                        const std::string& folder);

}  // namespace plumb
