#!/bin/sh
# bits.sh SOURCE FOLDER: do the kernels give the same bits whoever compiles them, for whatever instructions? Builds bits_main.c with gcc,
# clang and, where it is there, gcc for arm64, which QEMU runs; fails where two differ, and says which.
set -eu
source=$1
folder=$2/bits
mkdir -p "$folder"
: >"$folder/sums"

# one KERNEL ARITHMETIC SET FLAGS...: compiles a kernel file.
one() {
    kernel=$1 arithmetic=$2 set=$3
    shift 3
    double=
    [ "$arithmetic" = float ] || double=-DMT_DOUBLE
    $cc $common -fno-math-errno -fno-trapping-math -Wno-psabi -DMT_REAL_NAME="$arithmetic" -DMT_ISA="$set" $double "$@" \
        -c "$source/solver/$kernel" -o "$folder/$(basename "$kernel" .c)_${arithmetic}_$set.o"
}

# sums NAME COMPILER RUNNER SETS: builds with a compiler, runs what it built for each set, and notes the sum of what was written.
sums() {
    name=$1 cc=$2 runner=$3 sets=$4
    common="-std=c17 -D_GNU_SOURCE -O2 -ffp-contract=off -ffunction-sections -I$source"
    rm -f "$folder"/*.o
    for arithmetic in float double; do
        for kernel in cells/tp06/tp06_kernel.c kernels/functions_kernel.c kernels/ellpack_kernel.c \
            kernels/sliced_kernel.c kernels/axes_kernel.c; do
            for set in $sets; do
                case $set in
                base) one $kernel $arithmetic base ;;
                avx2) one $kernel $arithmetic avx2 -mavx2 -mfma ;;
                avx512) one $kernel $arithmetic avx512 -mavx512f -mavx512dq -mfma ;;
                esac
            done
        done
    done
    $cc $common "$source/tests/solver/kernels/bits_main.c" "$source/solver/cells/tp06/tp06.c" "$source/solver/cells/model.c" \
        "$source/solver/kernels/kernels.c" "$source/ipu/run/engine.c" "$folder"/*.o -Wl,--gc-sections -lm -o "$folder/$name"
    for set in $($runner "$folder/$name"); do
        echo "$($runner "$folder/$name" "$set" | sha256sum | cut -c1-16) $name $set" | tee -a "$folder/sums"
    done
}

x86="base avx2 avx512"
[ "$(uname -m)" = x86_64 ] || x86=base
sums gcc gcc "" "$x86"
sums clang clang "" "$x86"
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
    sums arm64 aarch64-linux-gnu-gcc "qemu-aarch64 -L /usr/aarch64-linux-gnu" base
else
    echo "not compared: arm64 (install gcc-aarch64-linux-gnu and qemu-user)"
fi
[ "$(cut -d ' ' -f 1 "$folder/sums" | sort -u | wc -l)" = 1 ] || {
    echo "the bits differ"
    exit 1
}
