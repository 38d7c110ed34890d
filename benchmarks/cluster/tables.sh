#!/bin/sh
# tables.sh calibrate [tabulated] | check | tables [weak | strong | exact | tabulated] | measured | picture PNG,
# in the root of the repository, after `cmake --workflow --preset cluster`:
#   calibrate  measures CLUSTER_NS, the costs per element on this computer (benchmarks/cluster/costs.h): minimum of several rounds;
#              `calibrate tabulated` measures CLUSTER_TABULATED_NS, those in single precision with tables of functions of V
#   check      simulates a small slab on 1, 16 and 50 ranks in both arithmetics, and checks that V has the same bits
#   tables     simulates the runs missing in build/cluster/rows, one file per run, and prints the tables of benchmarks/README.md
#   measured   repeats two of the runs with the computation costs of this computer, measured by SMPI
#   picture    draws the tables with gnuplot
set -eu
: "${CLUSTER_NS:=51 9.9 6.1}" # on the computer of benchmarks/README.md
: "${CLUSTER_TABULATED_NS:=20.0 5.1 15.8}"
: "${CLUSTER_RANKS:=16 32 64 128 256 512 1024}"
folder=build/cluster
rows=$folder/rows
mkdir -p "$rows"
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive

# simulate RANKS SMPI-OPTION ARGUMENT...
simulate() {
    ranks=$1 option=$2
    shift 2
    seq 0 21 | sed 's/.*/node-&:48/' >"$folder/hosts"
    smpirun -np "$ranks" -platform benchmarks/cluster/hdr.xml -hostfile "$folder/hosts" --log=root.thres:warning \
        "--cfg=$option" "$folder/libcluster_simulated.so" "$@"
}
measured() { ranks=$1; shift; CLUSTER_NS="" simulate "$ranks" smpi/simulate-computation:yes "$@"; }
counted() { ranks=$1; shift; CLUSTER_NS=$ns simulate "$ranks" smpi/simulate-computation:no "$@"; }

# least COLUMN RANKS ARGUMENT...
least() {
    column=$1
    shift
    for _ in 1 2 3 4 5 6 7; do measured "$@"; done | awk -v c="$column" '{ print $c }' | sort -g | head -n 1
}

# A diffusion substep costs half the difference between 4 and 2; with 50,000 elements per rank a look takes little else than the check.
calibrate() {
    two=$(least 12 1 10000 150 50 2 exact "$1")
    four=$(least 12 1 10000 150 50 4 exact "$1")
    look=$(least 13 2 100000 100 50 2 exact "$1")
    echo "$two $four $look" | awk '{ row = ($2 - $1) / 2; printf "%.1f %.1f %.1f\n", ($1 - 2 * row) / 10.368, row / 10.368, $3 / 50 }'
}

# row NAME RANKS ARGUMENT...: prints the row of a file, simulated if the file is missing.
row() {
    name=$1
    shift
    if [ ! -s "$rows/$name" ]; then
        counted "$@" >"$rows/new"
        mv "$rows/new" "$rows/$name"
    fi
    cat "$rows/$name"
}

# series NAME: 6 steps within one ms, the last with the check; with specified costs all steps are equal otherwise.
series() {
    for n in $CLUSTER_RANKS; do
        case $1 in
        weak) row "weak-$n" "$n" $((n * 10000)) 6 0 ;;
        exact) row "exact-$n" "$n" $((n * 10000)) 6 0 0 exact ;;
        strong) row "strong-$n" "$n" 3000000 6 0 ;;
        tabulated) row "tabulated-$n" "$n" 3000000 6 0 0 exact tabulated ;;
        esac
    done
}

# Appends to the columns of cluster.c the model of benchmarks/README.md: us per step and per check.
model() {
    awk -v ns="$ns" -v bytes="$bytes" '
    function ceil_log2(n,  k) { while (2 ^ k < n) k++; return k + 0 }
    BEGIN { split(ns, cost, " "); call = 0.1; copy = 1e-4; near = 0.1; far = 1 }
    {
        hops = ceil_log2($1); inner = ceil_log2($1 < 48 ? $1 : 48)
        tree = inner * (2 * call + near) + (hops - inner) * (2 * call + far)
        compute = $3 * (cost[1] + $4 * cost[2]) / 1000
        exchange = $4 * (2 * call * $10 + 2 * bytes * copy * $6)
        look = 3 * tree + $3 * cost[3] / 1000
        alone = $2 / $1 * (cost[1] + $4 * cost[2]) / 1000
        print $0, alone, compute + exchange + 3 * tree, look
    }'
}

table() {
    echo "| ranks | elements | received, most | needed, most | from ranks, most | step, us | its model | look, us | its model | efficiency | without looks |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|"
    series "$1" | model | awk '{
        printf "| %d | %d | %d | %d | %d | %.0f | %.0f | %.0f | %.0f | %.0f %% | %.0f %% |\n",
            $1, $2, $6, $8, $10, $11, $22, $13, $23, 100 * $21 / ($11 + $13 / 50), 100 * $21 / $11 }'
}

check() {
    for arithmetic in double tabulated; do
        for n in 1 16 50; do counted "$n" 40000 60 0 0 mixed-clean "$arithmetic" | awk '{ print $NF }'; done | uniq >"$folder/v"
        [ "$(wc -l <"$folder/v")" = 1 ] || { echo "$arithmetic: V differs" >&2 && exit 1; }
    done
}

picture() {
    for name in weak strong; do
        series "$name" | model | awk '{ print $1, 100 * $21 / ($11 + $13 / 50), 100 * $21 / ($22 + $23 / 50) }' >"$folder/$name"
    done
    gnuplot <<END
set terminal pngcairo size 1600,1000 font "DejaVu Sans,18" background "#ffffff"
set output "$folder/picture.png"
set label 1 "{/:Bold The time loop on a simulated cluster}" at screen 0.035, 0.965 left
set label 2 "share of the time in which a rank computes, %; nodes of 48 cores on HDR InfiniBand" at screen 0.035, 0.915 left font ",16"
set tmargin at screen 0.87
set lmargin at screen 0.075
set rmargin at screen 0.965
set xlabel "ranks"
set logscale x 2
set xrange [14:1200]
set yrange [0:105]
set grid ytics lc rgb "#dddddd" lt 1 lw 1
set border 3 lc rgb "#444444"
set tics nomirror out
set key bottom left reverse Left spacing 1.3
plot "$folder/weak" using 1:2 with linespoints pt 7 ps 2 lw 3 lc rgb 0x3a5a95 title "10,000 elements per rank", \
    "$folder/weak" using 1:3 with lines dt 2 lw 2 lc rgb 0x3a5a95 title "model", \
    "$folder/strong" using 1:2 with linespoints pt 9 ps 2 lw 3 lc rgb 0xd9622f title "3 million elements", \
    "$folder/strong" using 1:3 with lines dt 2 lw 2 lc rgb 0xd9622f title "model"
END
    mv "$folder/picture.png" "$1"
}

ns=$CLUSTER_NS bytes=8
case ${1:-} in
calibrate) calibrate "${2:-double}" ;;
check) check ;;
tables)
    for name in ${2:-weak strong exact tabulated}; do
        [ "$name" != tabulated ] || { ns=$CLUSTER_TABULATED_NS && bytes=4; }
        echo "ns of an element: $ns"
        printf '\n%s\n\n' "$name" && table "$name"
    done
    ;;
measured) for n in 16 64; do measured "$n" $((n * 10000)) 50 50; done ;;
picture) picture "$2" ;;
*) sed -n 's/^# //p' "$0" | sed -n 1,8p && exit 2 ;;
esac
