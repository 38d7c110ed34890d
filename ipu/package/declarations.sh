#!/bin/sh
# What the public headers declare: one text of C without comments, inline functions and the system's headers, as Python's cffi takes
# it. And the version script of the shared library, which exports just that.
#   declarations.sh CC SOURCE DECLARATIONS EXPORTS HEADER...
set -eu
cc=$1 source=$2 declarations=$3 exports=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for name in math stdbool stddef stdint stdio; do : >"$folder/$name.h"; done # in place of the system's
for header in "$@"; do echo "#include \"$header\""; done >"$folder/all.h"
"$cc" -E -P -nostdinc -D '__attribute__(x)=' -I "$folder" -I "$source" "$folder/all.h" >"$folder/all"
sed '/^static inline/,/^}/d' "$folder/all" >"$declarations"

# Functions, and what is `extern`.
names=$(tr -s '[:space:]' ' ' <"$declarations" |
    grep -oE '\<(ipu|mt)_[a-z0-9_]+\(|\<extern [^;(]*;' |
    sed -E 's/\($//; s/^extern .*[ *]((ipu|mt)_[a-z0-9_]+)(\[[^]]*\])?;$/\1/' | sort -u)
{
    echo 'MYOTILE_IPU_0 {'
    echo 'global:'
    printf '%s\n' "$names" | sed 's/.*/    &;/'
    echo 'local: *;'
    echo '};'
} >"$exports"
