#!/bin/sh
# unused.sh CC FOLDER LIBRARY...: makes FOLDER with stand-ins for libraries that each LIBRARY loads and no test needs. Each test is a
# process, which would spend most of its start on loading them: Criterion loads libgit2 to show differences of texts in assertions of a
# kind that no test uses, HDF5 loads libcurl and libcrypto to read from a cloud, cairo loads those of X11 to draw in windows, and these
# load 30 more. libgit2 and libcrypto also read certificates and settings. The stand-ins are one library of several names, with what each
# LIBRARY takes of the originals, as functions that return 0.
set -eu
cc=$1 folder=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
nm -D --undefined-only "$@" | sed -nE 's/^ +U ((git_|curl_|X|_X|xcb_).*|.*@OPENSSL_.*)$/\1/p' | sort -u >names
sed -E 's/^([^@]*).*$/long \1(void);\nlong \1(void) { return 0; }/' names >unused.c
sed -nE 's/^(.*)@(.*)$/\2 \1/p' names | sort | awk '
    $1 != version { if (version) print "};"; version = $1; print version " {" }
    { print "    " $2 ";" }
    END { if (version) print "};" }' >versions
"$cc" -w -fno-builtin -fPIC -shared -nostdlib -Wl,--version-script=versions -o libunused.so unused.c
objdump -p "$@" | sed -nE 's/^ +NEEDED +(lib(git2|curl|crypto|X|xcb).*)$/\1/p' | sort -u | while read -r name; do
    ln -s libunused.so "$name"
done
