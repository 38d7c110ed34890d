#!/bin/sh
# The library for programs of others needs only small libraries, exports what the public headers declare and nothing else, and keeps
# nothing from call to call but what is named here.
#   symbols.sh BUILD SOURCE HEADER...    the build's folder; the public headers, by names from the root
set -eu
build=$1
cd "$2"
shift 2
fail() {
    echo "$*" >&2
    exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
shared=$(echo "$build"/libmyotile-ipu.so.*.*)
static=$build/libmyotile-ipu.a

readelf -d "$shared" >"$folder/dynamic"
grep -q 'SONAME.*\[libmyotile-ipu\.so\.0\]' "$folder/dynamic" || fail "$(grep SONAME "$folder/dynamic")"
sed -n 's/.*NEEDED.*\[\(lib[a-z]*\).*/\1/p' "$folder/dynamic" | sort >"$folder/needed"
for library in $(cat "$folder/needed"); do
    case $library in
    libc | libm | libyaml | libxxhash | libgomp | libomp) ;;
    *) fail "the shared library needs $library" ;;
    esac
done

# What a public header has before a parenthesis, or as the name of something `extern`, and the library defines, is exported.
nm -D --defined-only "$shared" | sed -n 's/.* [A-Z] \([a-z0-9_]*\)@@.*/\1/p' | sort -u >"$folder/exported"
nm --defined-only "$static" | sed -n 's/.* [TRD] \([a-z0-9_]*\)$/\1/p' | sort -u >"$folder/defined"
{
    grep -ohE '\<(ipu|mt)_[a-z0-9_]+\(' "$@"
    sed -nE 's/^extern .*[ *]([a-z0-9_]+)(\[.*)?;.*/\1/p' "$@"
} | tr -d '(' | sort -u | comm -12 - "$folder/defined" >"$folder/declared"
[ "$(wc -l <"$folder/exported")" -ge 150 ] || fail "exports $(wc -l <"$folder/exported") names only"
differ=$(comm -3 "$folder/exported" "$folder/declared")
[ -z "$differ" ] || fail "exported, and (in the second column) declared: $differ"

# Memory that is written and stays, with one address for all threads. Files that are being written and folders in use are known in
# one place, because a program that is being stopped by a signal takes them away (data/files/file.h, data/files/folder.h); inputs, because a command
# writes over none of them (data/files/input.h); the listener of the process (data/core/progress.h). The locks of OpenMP's
# sections are what makes threads wait for each other.
objdump -t "$static" | awk -F '\t' '
    / file format / { sub(/\.c\.o:.*/, ".c"); file = $0 }
    NF == 2 && !/\.gomp_critical/ {
        n = split($1, section, " ")
        m = split($2, symbol, " ")
        if (section[n] ~ /^(\.data|\.bss|\*COM\*)/ && section[n] !~ /^\.data\.rel\.ro/ && symbol[1] !~ /^0*$/)
            print file ": " symbol[m]
    }' | sort >"$folder/mutable"
printf '%s\n' 'file.c: first_part' 'file.c: raised_meanwhile' 'file.c: renaming' 'file.c: set_is_open' \
    'folder.c: entered' 'input.c: uses' 'progress.c: of_process' | sort >"$folder/known"
differ=$(comm -3 "$folder/mutable" "$folder/known")
[ -z "$differ" ] || fail "mutable, and (in the second column) no longer: $differ"
