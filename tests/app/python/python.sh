#!/bin/sh
# The Python package of the program, as it stands in the source: what core.py says of it, with numpy and h5py alone; with `slow` what
# tables.py and the README say with pandas, matplotlib and meshio, its types where mypy is installed, and the notebooks from top to bottom.
#   python.sh MYOTILE SOURCE [slow]
set -eu
source=$2 tests=$2/tests/app/python python=/usr/bin/python3
export MYOTILE="$1" PYTHONPATH="$source/app/python" PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg PYDEVD_DISABLE_FILE_VALIDATION=1 ASAN_OPTIONS=detect_leaks=0
# modules that must be there, and .ci/install's word for them
need() {
    $python -c "import $1" 2>/dev/null || {
        echo "SKIPPED: not all of $1 are installed for Python (.ci/install $2)"
        exit 0
    }
}
if [ "${3:-}" != slow ]; then
    need "numpy, h5py" test
    exec $python "$tests/core.py" -q
fi
need "numpy, h5py, pandas, matplotlib, meshio, nbconvert, ipykernel" slow
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME="$folder" # what Jupyter, matplotlib and mypy keep
$python "$tests/tables.py" -q
if [ -x /usr/bin/mypy ]; then
    /usr/bin/mypy --strict --cache-dir "$folder/mypy" "$source/app/python/myotile"
fi
mkdir "$folder/readme"
(cd "$folder/readme" && $python -W ignore -m doctest -o ELLIPSIS -o NORMALIZE_WHITESPACE "$source/app/python/README.md")
for notebook in "$source"/app/python/notebooks/*.py; do
    name=$(basename "$notebook" .py)
    if [ "$name" = sensitivity ] && ! $python -c "import scipy" 2>/dev/null; then
        echo "not run, since scipy is not installed for Python (.ci/install slow): $name.py"
        continue
    fi
    $python "$notebook" "$folder/$name" >"$folder/said"
    cat "$folder/said"
    grep -q "^all files: $folder/$name$" "$folder/said"
    [ "$(find "$folder/$name" -maxdepth 1 -name '*.png' | wc -l)" -ge 1 ]
    $python -m myotile.notebook "$notebook" "$folder/$name.ipynb"
done
# One of them as the notebook that it becomes.
name=restitution_and_drug
jupyter-nbconvert --execute --to markdown --output "$folder/$name" "$folder/$name.ipynb"
grep -q "half of I_Kr: APD90" "$folder/$name.md"
grep -q "png" "$folder/$name.md"
