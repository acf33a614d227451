// The flags that name cases and say how their files are read, for commands other than evaluate.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plumb/evaluate/cases.hpp"
#include "plumb/io/case_files.hpp"
#include "plumb/io/manifest.hpp"
#include "plumb/result.hpp"
#include "shell/flags.hpp"

namespace plumb::cli {

struct CaseFlags {
  std::string manifest, class_axis = "by-shape", ignore_label;
  Args classes;
  double full_scale = 1;
  bool foreground = false, predicted = false, normalize = false;
};

void add_case_flags(Flags& flags, CaseFlags& out);

/// A manifest that is read, and how its cases are.
struct CaseInputs {
  Manifest manifest;
  CaseFileOptions files;
  std::vector<std::string> names, paths;  ///< of the cases; of every file
  [[nodiscard]] Case read(std::int64_t i) const;
};
[[nodiscard]] CaseInputs open_cases(const CaseFlags& flags, int threads);
void put_case_settings(const CaseFlags& flags, const CaseInputs& inputs, Result& result);

}  // namespace plumb::cli
