#!/bin/sh
# The Python package that is installed with the library runs its example, of at most 40 lines, with the cycles of the same in C, and
# keeps what python.py says.
#   python.sh BUILD SOURCE
set -eu
build=$1 source=$2 python=/usr/bin/python3
fail() {
    echo "$*" >&2
    exit 1
}
$python -c 'import cffi, numpy' 2>/dev/null || {
    echo "SKIPPED: python3-cffi or python3-numpy is not installed (.ci/install test)"
    exit 0
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$build" --prefix "$folder/first" --component ipu >"$folder/said"
mv "$folder/first" "$folder/prefix"
export PYTHONPATH="$folder/prefix/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1
example=$folder/prefix/share/doc/myotile-ipu/examples/heat.py
[ "$(wc -l <"$example")" -le 40 ] || fail "$example has more than 40 lines"
$python "$example" 2 >"$folder/python"
"$build/example_heat" "$source/data/machines/gc200.yaml" 2 >"$folder/c"
cmp "$folder/python" "$folder/c" || fail "heat.py says: $(cat "$folder/python")"
$python "$source/tests/ipu/package/python.py" -q
