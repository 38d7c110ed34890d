#!/bin/sh
# benchmarks.sh PROGRAM SOURCE: on a small mesh every benchmark's lines are JSON, each figure has what the page says, and the picture of the
# roofline is drawn where gnuplot is.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for name in 'memory 1' cells models functions 'machine 1' 'recording 1' 'setup 1' growth 'gpu 1' 'gpu-run 1 --ms 1'; do
    # shellcheck disable=SC2086 # a name and its mesh
    "$1" $name --rounds 1 --json 2>/dev/null >>"$folder/rows"
done
"$1" compare 'echo "a \ b"' 'true' --rounds 1 --json >>"$folder/rows"
python3 - "$folder/rows" <<'END'
import json, sys

benchmarks = set()
for line in open(sys.argv[1]):
    row = json.loads(line)
    if "processor" in row:
        benchmarks.add(row["benchmark"])
        names = set()
        continue
    if "device" in row:
        continue
    if "different bits" in row["name"]:
        assert row["median"] == 0, row
    assert row["low"] <= row["median"] <= row["high"], row
    assert ("ratio" in row) == ("baseline" in row) and ("share" in row) == ("limit" in row), row
    for other in "baseline", "limit":
        assert row.get(other, row["name"]) in names | {row["name"]}, row
    names.add(row["name"])
wanted = {"memory", "cells", "models", "functions", "machine", "recording", "setup", "growth", "compare", "gpu", "gpu-run"}
assert benchmarks == wanted, benchmarks ^ wanted
END
command -v gnuplot >/dev/null || exit 0
grep '"benchmark": "machine"' "$folder/rows" | "$2/benchmarks/roofline.sh" "$folder/roofline.png"
[ -s "$folder/roofline.png" ]
