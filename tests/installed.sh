#!/bin/sh
# What is installed can be moved: the program finds its data beside itself, and runs in another folder. All of it is of one version.
#     installed.sh CMAKE BUILD    the build's folder
set -eu
export ASAN_OPTIONS=detect_leaks=0 # fontconfig keeps its patterns for the life of the program
fail() {
    echo "$*" >&2
    exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --install "$2" --prefix "$folder/there" >"$folder/said"
mkdir "$folder/elsewhere"
mv "$folder/there" "$folder/elsewhere/moved"
prefix=$folder/elsewhere/moved
mkdir "$folder/work"
cd "$folder/work"
"$prefix/bin/myotile" machine show gc200 >shown
grep -q "^GC200: $prefix/share/myotile/machines/gc200.yaml" shown || fail "not its own machines: $(head -n 1 shown)"
"$prefix/bin/myotile" run "$prefix/share/myotile/cases/niederer-0.5.yaml" --set time.end_ms=1 >said 2>&1
[ -s niederer-0.5/activation.png ] && [ -s niederer-0.5/profile.json ] || fail "no results: $(ls -R)"
# The Python package finds the program of its own installation, and the cases, and stands beside the emulated machine's.
if /usr/bin/python3 -c 'import numpy, h5py' 2>/dev/null; then
    env -u MYOTILE PATH=/nowhere PYTHONPATH="$prefix/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "
import myotile, myotile.program, warnings
warnings.simplefilter('ignore', myotile.CaseWarning)
assert myotile.program.find() == '$prefix/bin/myotile', myotile.program.find()
run = myotile.run(myotile.cases / 'niederer-0.5.yaml', {'time.end_ms': 1}, 'of-python')
assert run.mesh.n_elements == 20160" || fail "the Python package does not run"
    [ -s "$prefix/lib/python3/dist-packages/myotile_ipu/__init__.py" ] || fail "no myotile_ipu beside it"
    [ -s "$prefix/share/doc/myotile/python/notebooks/heart.py" ] || fail "no notebooks"
fi
# The library serves a program in C, by pkg-config and by CMake, and Python in its own process; both find the cases of the installation.
# Sanitizers would have to be those of the program.
if ! grep -q __asan_init "$prefix/lib/libmyotile.so.0"; then
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    cc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror "$prefix/share/doc/myotile/examples/conductivities.c" \
        $(pkg-config --cflags --libs myotile) -Wl,-rpath,"$prefix/lib" -lm -o conductivities || fail "the example does not compile"
    ./conductivities >printed || fail "the example: $(cat printed)"
    [ "$(grep -c 'last activation at' printed)" = 3 ] || fail "the example printed $(cat printed)"
    cp "$prefix/share/doc/myotile/examples/conductivities.c" .
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(example C)
find_package(myotile REQUIRED)
add_executable(example conductivities.c)
target_link_libraries(example myotile::myotile m)
END
    "$1" -D CMAKE_PREFIX_PATH="$prefix" -S . -B out >log 2>&1 && "$1" --build out >>log 2>&1 || fail "CMake: $(cat log)"
    ./out/example | cmp - printed || fail "CMake: another output"
    if /usr/bin/python3 -c 'import numpy, h5py, cffi' 2>/dev/null; then
        env -u MYOTILE_LIBRARY PYTHONPATH="$prefix/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "
import myotile
with myotile.Case(myotile.cases / 'niederer-0.5.yaml', {'time.end_ms': 1}) as case:
    run = case.run()
assert run.maps['activation'].size == 20160 and run.cycles > 0" || fail "the library does not run in Python"
    fi
fi
gzip -t "$prefix/share/man/man1/myotile.1.gz" || fail "no manual page"
bash -n "$prefix/share/bash-completion/completions/myotile" || fail "no completion"
version=$("$prefix/bin/myotile" --version | cut -d ' ' -f 2)
grep -qx "version: $version" "$prefix/share/doc/myotile/CITATION.cff" || fail "CITATION.cff is not of version $version"
