// The items of `plumb uncertainty --manifest`: voxels of cases, or a sample of them.
#pragma once

#include <string>
#include <vector>

#include "case_flags.hpp"
#include "inputs.hpp"
#include "plumb/data/item_sample.hpp"
#include "plumb/uncertainty/uncertainty.hpp"

namespace plumb::cli {

struct VoxelFlags {
  CaseFlags cases;
  std::int64_t voxels = 1000000;
};
void add_voxel_flags(Flags& flags, VoxelFlags& out);

struct VoxelInputs {
  Inputs inputs;  ///< groups are the units: cases, or their groups
  std::vector<ItemSample::Row> rows;
  std::vector<std::string> cases;
  std::vector<CaseGrid> grids;  ///< by case, of all of its voxels
  std::int64_t seen = 0;
  bool grouped = false;
  std::string note;  ///< empty if all voxels are there
};
[[nodiscard]] VoxelInputs voxel_inputs(const VoxelFlags& flags, std::uint64_t seed, int threads, bool quiet);
/// "case (x, y, z)" for the suspects.
[[nodiscard]] Names voxel_names(const VoxelInputs& voxels, const std::vector<Suspect>& suspects);

}  // namespace plumb::cli
