#include "case_store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "plumb/data/check.hpp"
#include "plumb/io/journal.hpp"

namespace plumb::cli {
namespace {

std::string as_lines(const Args& parts) {
  std::string out;
  for (const std::string& p : parts) out += p + "\n";
  return out;
}

Dependencies run_dependencies(const CaseFlags& f, const EvaluateFlags& how, bool keep_state,
                              const Manifest& manifest) {
  const EvaluateOptions& o = how.options;
  return {{"version of Plumb", version()},
          {"--metrics", as_lines(o.metrics)},
          {"--bins", std::to_string(how.bins)},
          {"--clip", fmt::format("{}", o.clip)},
          {"--ties", how.ties},
          {"--bandwidth", fmt::format("{} {}", o.bandwidth, how.bandwidth_rule)},
          {"--leave-out", how.leave_out},
          {"--layout", f.layout},
          {"--axes", f.axes},
          {"--class-axis", f.class_axis},
          {"--classes", as_lines(f.classes)},
          {"--ignore-label", f.ignore_label},
          {"--full-scale", fmt::format("{}", f.full_scale)},
          {"--normalize", f.normalize ? "yes" : "no"},
          {"--foreground", f.foreground ? "yes" : "no"},
          {"--predicted", f.predicted ? "yes" : "no"},
          {"--exclude-background", f.exclude_background ? "yes" : "no"},
          {"--regions", f.regions ? "yes" : "no"},
          {"--band", fmt::format("{} {}", f.band, as_lines(f.spacing))},
          {"--by", as_lines(f.by)},
          {"--save-state", keep_state ? "yes" : "no"},
          {"column of the model's files (probs or logits)", manifest.logits ? "logits" : "probs"}};
}

/// Empty for a file that is not there: it is reported when the case is read.
std::string size_and_time(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return "";
  return fmt::format("{} {}.{:09}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

Dependencies case_dependencies(const ManifestCase& c) {
  const auto file = [](const Source& s) {
    return std::pair(s.path.empty() ? std::string("roi") : s.path,
                     s.path.empty() ? std::string() : s.selection + " " + size_and_time(s.path));
  };
  Dependencies out{
      {"its row of the manifest", c.group + "\n" + as_lines(c.slices)}, file(c.probs), file(c.roi)};
  for (const auto& [column, source] : c.raters) {
    out.emplace_back("its row of the manifest", column);
    out.push_back(file(source));
  }
  return out;
}

}  // namespace

CaseStore open_case_store(const std::string& path, const CaseFlags& flags, const EvaluateFlags& how,
                          bool keep_state, const CaseInputs& cases) {
  if (path.empty()) return {};
  const auto journal =
      std::make_shared<Journal>(path, run_dependencies(flags, how, keep_state, cases.manifest));
  // As the files are now: what changes while they are read is noticed by the next run.
  const auto on = std::make_shared<std::vector<Dependencies>>();
  for (const ManifestCase& c : cases.manifest.cases) on->push_back(case_dependencies(c));
  const std::vector<std::string>& names = cases.names;
  return {path, [journal, on, &names](std::int64_t i) { return journal->load(names[i], on->at(i)); },
          [journal, on, &names](std::int64_t i, const std::string& bytes) {
            journal->save(names[i], on->at(i), bytes);
          }};
}

}  // namespace plumb::cli
