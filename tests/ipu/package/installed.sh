#!/bin/sh
# The library that is installed by itself, and moved, serves programs of others: each header compiles alone, and what ipu/README.md
# says builds a program, with pkg-config and with CMake, shared and static, which prints what is said there.
#   installed.sh BUILD README
set -eu
build=$1 readme=$2
fail() {
    echo "$*" >&2
    exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The commands of the README from the line that begins with $1 to the one that begins with $2.
said() {
    sed -n "/^    $1/,/^    $2/p" "$readme" | sed 's/^    //'
}
mkdir "$folder/first" "$folder/home" "$folder/work"
cd "$folder/work"
HOME=$folder/first
install=$(said 'cmake --install' '' | head -n 1 | sed "s|build/release|$build|")
eval "$install" >"$folder/installed"
[ "$(echo "$HOME"/.local/*)" = "$HOME/.local/include $HOME/.local/lib $HOME/.local/share" ] || fail "not the library alone"
HOME=$folder/home
mv "$folder/first/.local" "$HOME/.local"

n=0
for header in $(cd "$HOME/.local/include/myotile" && find . -name '*.h' | cut -c 3-); do
    echo "#include \"$header\"" | cc -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
        -fsyntax-only -I "$HOME/.local/include/myotile" -x c - || fail "$header does not compile alone"
    n=$((n + 1))
done
[ "$n" -ge 35 ] || fail "only $n headers"

# What it prints stands two lines below the last command.
expected=$(sed -n '/^    \.\/heat/,/^    [0-9]/p' "$readme" | tail -n 1 | sed 's/^    //')
said 'export PKG' '.\/heat' >commands
sh -eu ./commands >printed || fail "pkg-config, as the README says: $(cat commands)"
[ "$(cat printed)" = "$expected" ] || fail "pkg-config: $(cat printed), not $expected"
ldd heat | grep -q "$HOME/.local/lib/libmyotile-ipu.so.0" || fail "pkg-config: not with the shared library: $(ldd heat)"

# The same program that is built in other ways prints the same, which one chip shows in a quarter of the time.
expected=$(./heat "$HOME/.local/share/myotile/machines/gc200.yaml" 1)
sed 's/^cc /cc -static /; s/pkg-config --cflags/pkg-config --static --cflags/; s/gc200.yaml 4$/gc200.yaml 1/' commands >static
grep -q 'gc200.yaml 1$' static || fail "not on one chip: $(cat static)"
sh -eu ./static >printed || fail "pkg-config --static: $(cat static)"
[ "$(cat printed)" = "$expected" ] || fail "static: $(cat printed), not $expected"
! ldd heat >"$folder/ldd" 2>&1 || fail "not static: $(cat "$folder/ldd")"

export PKG_CONFIG_PATH="$HOME/.local/lib/pkgconfig"
version=$(pkg-config --modversion myotile-ipu)
cat >version.c <<'END'
#include <stdio.h>

#include "ipu/machine/version.h"

int main(void) { return puts(ipu_version()) < 0; }
END
cp "$HOME"/.local/share/doc/myotile-ipu/examples/heat.c .
said 'cmake_minimum' 'target_link' >CMakeLists.txt
cat >>CMakeLists.txt <<'END'
add_executable(heat_static heat.c)
target_link_libraries(heat_static myotile::ipu_static)
add_executable(version version.c)
target_link_libraries(version myotile::ipu)
file(WRITE ${CMAKE_BINARY_DIR}/machines "${myotile-ipu_MACHINES}")
END
cmake -G Ninja -D CMAKE_PREFIX_PATH="$HOME/.local" -B out . >log 2>&1 && cmake --build out >>log 2>&1 || fail "$(cat log)"
for program in heat heat_static; do
    "out/$program" "$(cat out/machines)/gc200.yaml" 1 >printed || fail "CMake: $program answers $?"
    [ "$(cat printed)" = "$expected" ] || fail "CMake: $program: $(cat printed), not $expected"
done
! ldd out/heat_static | grep -q libmyotile || fail "CMake: heat_static is not static: $(ldd out/heat_static)"
[ "$(out/version)" = "$version" ] || fail "the library is $(out/version), its package $version"
