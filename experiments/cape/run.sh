#!/usr/bin/env bash
# run.sh PLUMB FOLDER: draws the five scenarios into FOLDER and trains the grids there, one after the other. Start it again after
# an interruption: finished runs are kept.
set -euo pipefail
plumb=$(realpath "${1:-build/bin/plumb}")
folder=${2:-runs/faces}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cd "$folder"
for scenario in linear sigmoid centered skewed discrete; do
  [ -e "faces/$scenario/README.txt" ] || "$plumb" demo faces --scenario "$scenario" --out "faces/$scenario" --quiet
done
for grid in start cape control rivals ensemble; do
  "$plumb" train --grid "$here/$grid.json" --out "$grid" --checkpoint-every 5
done
