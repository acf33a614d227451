#!/usr/bin/env bash
# run.sh PLUMB FOLDER JOBS: draws the five scenarios into FOLDER and trains the grid there, JOBS runs at a time. Start it again
# after an interruption: what is done stays done.
set -euo pipefail
plumb=$(realpath "${1:-build/bin/plumb}")
folder=${2:-runs/faces}
jobs=${3:-3}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cd "$folder"
for scenario in linear sigmoid centered skewed discrete; do
  [ -e "faces/$scenario/README.txt" ] || "$plumb" demo faces --scenario "$scenario" --out "faces/$scenario" --quiet
done
"$plumb" train --grid "$here/grid.json" --out grid --jobs "$jobs" --checkpoint-every 5
