#!/bin/sh
# all.sh SECONDS [FUZZER...]: each fuzzer (all of them) for so long, in the folder where they are built. Inputs that cover
# something new are kept in corpus/, what fails in found/. Ends with 1 where anything of ours failed. One at a time in a folder.
#
# HDF5 1.10 loses memory on damaged files, asks for as much as these say, and reads beyond its own: with its fuzzer leaks are
# not looked for, requests beyond 256 MB are answered by NULL, and one goes on after a failure. What failed inside the library
# is then told apart from what failed in our code by the innermost function that is of either.
set -eu
seconds=$1
shift
[ $# -gt 0 ] || set -- case state vtkhdf gmsh carp tetgen vtk vtu vtp xdmf obj stl cellml mmt ode easyml machine set words
mkdir -p corpus found
./fuzz_seeds seeds

ending() {
    case $1 in
    case) echo yaml ;;
    vtkhdf) echo hdf ;;
    gmsh) echo msh ;;
    carp) echo pts ;;
    tetgen) echo node ;;
    easyml) echo model ;;
    *) echo "$1" ;;
    esac
}

# Of an input that fails: was it in HDF5?
in_hdf5() {
    frame=$(./fuzz_vtkhdf "$1" 2>&1 | grep -a -m 1 -E '^ *#[0-9]+ .*(libhdf5|/(data|mesh|tests)/[a-z_/0-9]+\.[ch]:)') || return 1
    case $frame in *libhdf5*) return 0 ;; *) return 1 ;; esac
}

run() { # NAME OPTIONS...
    name=$1
    shift
    mkdir -p "corpus/$name"
    "./fuzz_$name" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="found/$name-" "$@" "corpus/$name" \
        "seeds/$(ending "$name")" >"found/$name.log" 2>&1
}

failed=
for name; do
    echo "$name"
    if [ "$name" = vtkhdf ]; then
        # whole seeds are of 9 and 19 kB
        ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=256:detect_leaks=0
        export ASAN_OPTIONS
        run vtkhdf -max_len=32768 -detect_leaks=0 -rss_limit_mb=4096 -timeout=60 \
            -fork=1 -ignore_crashes=1 -ignore_ooms=0 -ignore_timeouts=0 ||
            grep -aq 'INFO: exiting' found/vtkhdf.log || failed="$failed vtkhdf"
        for input in found/vtkhdf-*; do
            [ -e "$input" ] || break
            if in_hdf5 "$input"; then
                mkdir -p found/hdf5 && mv "$input" found/hdf5/
            else
                failed="$failed $input"
            fi
        done
        unset ASAN_OPTIONS
    else
        length=4096
        [ "$name" != cellml ] || length=16384 # XML is long
        run "$name" -max_len="$length" -rss_limit_mb=2048 -timeout=60 || failed="$failed $name"
    fi
    grep -aE 'stat::number_of_executed_units|^#[0-9]+: cov' "found/$name.log" | tail -n 1
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
