#!/bin/sh
# make.sh FOLDER PROGRAM BENCHMARKS SOURCE [MESH]: a folder that runs on another x86-64 Linux with glibc and a GPU driver, and nothing else.
# Both programs must search ../lib (RPATH). MESH must have fibres; without MESH, ventricles of 100,000 elements are generated, which needs
# gmsh here.
set -eu
folder=$1 program=$2 benchmarks=$3 source=$4 mesh=${5:-}
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/lib" "$folder/share/myotile"
cp "$program" "$folder/bin/myotile"
cp "$benchmarks" "$folder/bin/benchmarks"
cp "$source/benchmarks/relocatable/go.sh" "$folder/go.sh"
for part in cases geometry machines models reference report; do
    cp -r "$source/data/$part" "$folder/share/myotile/$part"
done
# The libraries, except those of glibc: these must be of the version of the other computer's dynamic linker.
ldd "$program" "$benchmarks" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -Ev '/(ld-linux[^/]*|lib(c|m|pthread|dl|rt|resolv|util|anl|nsl|nss_[a-z]*|mvec|BrokenLocale))\.(so|so\.[0-9]+)$' |
    while read -r library; do cp -L "$library" "$folder/lib/"; done
if [ -n "$mesh" ]; then
    cp "$mesh" "$folder/heart.hdf"
else
    without=$folder/without_fibres.hdf
    "$program" mesh ventricles --elements 100000 -o "$without" >/dev/null
    "$program" mesh fibres "$without" -o "$folder/heart.hdf" >/dev/null
    rm "$without"
fi
# The newest version of glibc that anything here needs.
needed=$(for file in "$folder"/bin/* "$folder"/lib/*; do
    LC_ALL=C objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' || true
done | sed 's/GLIBC_//' | sort -uV | tail -n 1)
echo "$folder: $(du -sh "$folder" | cut -f 1), needs glibc $needed or later; run go.sh there"
