#!/bin/sh
# limits.sh MYOTILE: unusable settings of threads and stacks are named in one line, and do not crash the program.
set -eu
program=$1
case=$PWD/data/cases/niederer-0.5.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
# fontconfig keeps its patterns for the life of the program, as in tests/app/program.h
echo leak:libfontconfig > suppressions
LSAN_OPTIONS=suppressions=$folder/suppressions:print_suppressions=0
export LSAN_OPTIONS

fail()
{
    echo "Assertion Failed: $1"
    cat said
    exit 1
}

# runs a small case under a shell command that sets limits; $code is its exit status, and `said` what it wrote to standard error
small()
{
    code=0
    (
        eval "$1"
        exec "$program" run "$case" -o out --set "mesh.slab.size_mm=[2,1,1]" --set time.end_ms=0.1 \
            --set machine.backend=cpu --set points=[] --set line.points=0 --progress never
    ) > out.txt 2> said || code=$?
}

small "export OMP_NUM_THREADS=100000"
[ $code = 0 ] || fail "100,000 threads: exit status $code"
grep -q "OMP_NUM_THREADS: found 100000; used: [0-9]* threads, for [0-9]* processors" said ||
    fail "100,000 threads are not mentioned"
small "export OMP_NUM_THREADS=2147483648"
[ $code = 0 ] || fail "2^31 threads: exit status $code"
small "export OMP_NUM_THREADS=3"
[ $code = 0 ] && ! grep -q THREADS said || fail "three threads are questioned"

# AddressSanitizer needs more stack than that before main
if ldd "$program" | grep -q asan; then exit 0; fi

small "ulimit -s 64"
[ $code = 3 ] && grep -q "^myotile: the stack limit (ulimit -s) is 64 KiB; needed: at least 1024 KiB$" said ||
    fail "a stack of 64 KiB: exit status $code"
small "ulimit -S -s 64"
[ $code = 0 ] || fail "a stack of 64 KiB that can be raised: exit status $code"
small "export OMP_NUM_THREADS=2 OMP_STACKSIZE=16k"
[ $code = 0 ] && grep -q "OMP_STACKSIZE: found 16k; used: 8M" said || fail "stacks of 16 KiB: exit status $code"
small "export OMP_NUM_THREADS=2 OMP_STACKSIZE=1000G"
[ $code = 0 ] && grep -q "OMP_STACKSIZE: found 1000G; used: 8M" said || fail "stacks of 1000 GiB: exit status $code"
small "export OMP_NUM_THREADS=2 OMP_STACKSIZE=2M"
[ $code = 0 ] && ! grep -q STACKSIZE said || fail "stacks of 2 MiB are questioned"
