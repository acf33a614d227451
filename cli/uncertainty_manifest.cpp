// The items of `plumb uncertainty --manifest`: voxels of cases, or a sample of them.
#include "uncertainty_manifest.hpp"

#include "plumb/data/check.hpp"
#include "plumb/data/item_sample.hpp"
#include "plumb/data/nothing_left.hpp"
#include "shell/progress.hpp"

namespace plumb::cli {

void add_voxel_flags(Flags& flags, VoxelFlags& f) {
  add_case_flags(flags, f.cases, {.structures = true, .layouts = true, .arrays = true});
  flags.integer("--voxels", f.voxels,
                "maximum number of voxels in memory; if there are more, a random sample of them is used");
}

VoxelInputs voxel_inputs(const VoxelFlags& f, std::uint64_t seed, int threads, bool quiet) {
  if (f.voxels < 1000 || f.voxels > 100000000)
    throw InputError("--voxels must be between 1000 and 100000000, not " + std::to_string(f.voxels));
  VoxelInputs out;
  const CaseInputs cases = open_cases(f.cases, threads);
  out.inputs.paths = cases.paths;
  out.inputs.infos.push_back(
      {f.cases.source_flag(), cases.manifest.path, {std::ssize(cases.names)}, "text", ""});
  out.grouped = cases.manifest.grouped;
  ItemSample sample(f.voxels, seed);
  std::int64_t empty = 0;
  ProgressBar bar(!quiet);
  const auto tell = bar.callback();
  for (std::size_t i = 0; i < cases.names.size(); ++i) {
    const ManifestCase& row = cases.manifest.cases[i];
    try {
      CaseItems c = cases.items(static_cast<std::int64_t>(i));
      check_items(c.items);
      sample.add(row.name, row.group.empty() ? row.name : row.group, c.items, c.raters, c.grid.kept);
      c.grid.kept.clear();  // the sample has the numbers of its voxels
      out.grids.push_back(std::move(c.grid));
      out.cases.push_back(row.name);
    } catch (const NothingLeft&) {
      ++empty;
    } catch (const InputError& e) {
      throw InputError("case " + row.name + ": " + e.sentence());
    }
    if (tell) tell(static_cast<double>(i + 1) / static_cast<double>(cases.names.size()));
  }
  if (out.cases.empty()) throw InputError("no case has a voxel left; choose other voxels");
  if (empty > 0)
    out.inputs.notes.push_back(counted(empty, "case") + (empty == 1 ? " has" : " have") +
                               " no voxel left and " + (empty == 1 ? "adds" : "add") + " nothing");
  ItemSample::Taken taken = sample.finish();
  out.inputs.items = std::move(taken.items);
  out.rows = std::move(taken.rows);
  out.seen = sample.seen();
  if (out.seen > out.inputs.items.size())
    out.note = "a sample of " + std::to_string(out.inputs.items.size()) + " of " + std::to_string(out.seen) +
               " voxels, drawn at random with equal probability; raise --voxels to use more";
  return out;
}

Names voxel_names(const VoxelInputs& voxels, const std::vector<Suspect>& suspects) {
  std::vector<std::string> names(voxels.rows.size(), "-");  // those of other voxels are not used
  for (const Suspect& s : suspects) {
    const ItemSample::Row& at = voxels.rows[s.row];
    names[s.row] = voxels.cases[at.set] + " " + voxels.grids[at.set].name(at.row);
  }
  const std::int64_t n = std::ssize(names);
  return Names(Rows(array_of(std::move(names), {n}, "voxels")), "voxel");
}

}  // namespace plumb::cli
