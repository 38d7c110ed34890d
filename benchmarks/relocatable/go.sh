#!/bin/sh
# go.sh [DEVICE]: lists the OpenCL devices, measures one (number or name; default: the first GPU), and compares a run on it with the
# processor's, bit by bit. The output is also in results.txt, in the current folder. Continues after a failure.
# SIZE=small: some minutes on a processor; normal: for a GPU; tiny: a trial.
here=$(cd "$(dirname "$0")" && pwd)
device=${1:-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
case ${SIZE:-normal} in
tiny) edge=1 rounds=1 ms=1 end=3 refine= ;;
small) edge=0.5 rounds=5 ms=10 end=20 refine= ;;
normal) edge=0.1 rounds=7 ms=100 end=80 refine=yes ;;
*)
    echo "SIZE=$SIZE; allowed: tiny, small, normal" >&2
    exit 2
    ;;
esac
# shellcheck disable=SC2089 # words of a later command
own() { if [ -n "$device" ]; then "$@" --device "$device"; else "$@"; fi; }

say() {
    echo
    echo "== $*"
    "$@" 2>&1 || echo "FAILED with status $?: $*"
}

# Runs the Niederer benchmark by a backend to a folder of its name.
niederer() {
    "$here/bin/myotile" run "$here/share/myotile/cases/niederer-0.5.yaml" --set machine.backend="$1" --set \
        machine.device="$device" --set time.end_ms="$end" --set traces.every_ms=0.5 \
        --set output.maps='[activation, repolarisation, peak, upstroke]' \
        --no-cache --force -o "$work/$1"
}

compare() {
    same=0
    for file in "$work"/cpu/*.csv; do
        name=${file##*/}
        here_sum=$(cksum <"$file")
        there_sum=$(cksum <"$work/opencl/$name")
        [ "$here_sum" = "$there_sum" ] && word=identical || word=DIFFERENT same=1
        echo "$name: $word ($here_sum; $there_sum)"
    done
    return $same
}

{
    say uname -srm
    say grep -m 1 'model name' /proc/cpuinfo
    command -v nvidia-smi >/dev/null && say nvidia-smi
    say "$here/bin/myotile" devices
    say own "$here/bin/benchmarks" gpu "$edge" --rounds "$rounds"
    mesh=$here/heart.hdf
    if [ -n "$refine" ]; then
        say "$here/bin/myotile" mesh refine "$mesh" -o "$work/fine.hdf"
        [ -s "$work/fine.hdf" ] && mesh=$work/fine.hdf
    fi
    say own "$here/bin/benchmarks" gpu "$mesh" --rounds "$rounds"
    say own "$here/bin/benchmarks" gpu-run "$mesh" --rounds 1 --ms "$ms"
    say niederer cpu
    say niederer opencl
    say compare
} | tee results.txt
! grep -q '^FAILED\|DIFFERENT' results.txt
