#!/bin/sh
# roofline.sh PICTURE: draws the roofline of the output of `benchmarks machine --json` on standard input by gnuplot, as a PNG.
set -eu
picture=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/rows"

# value NAME KEY: prints a value of the row of that name.
value() { sed -n "s/.*\"name\": \"$1[^\"]*\".*\"$2\": \([^,}]*\).*/\1/p" "$work/rows" | head -n 1; }

# point NAME: prints flops, bytes, and flops per second.
point() { echo "$(value "$1" flops) $(value "$1" bytes) $(value "$1" flops_per_s)"; }

for arithmetic in float double; do
    for kernel in cells diffusion record step; do point "mesh, $arithmetic: $kernel"; done >"$work/$arithmetic"
done
point "tiles: step" >"$work/tiles"
processor=$(sed -n 's/.*"processor": "\([^"]*\)", "threads": \([0-9]*\).*/\1, \2 threads/p' "$work/rows" | head -n 1)

gnuplot <<END
set terminal pngcairo size 1600,1000 font "DejaVu Sans,18" background "#ffffff"
set output "$work/picture.png"
stream = $(value stream median) / 1e9
peak_float = $(value 'multiply-adds float' median) / 1e9
peak_double = $(value 'multiply-adds double' median) / 1e9
roof(x, peak) = x * stream < peak ? x * stream : peak
set label 4 "{/:Bold A time step and its kernels under the limits measured in the same run}" at screen 0.035, 0.965 left
set label 5 "GFLOP/s; $processor" at screen 0.035, 0.915 left font ",16"
set tmargin at screen 0.87
set lmargin at screen 0.075
set rmargin at screen 0.965
set xlabel "flops per byte"
set logscale xy
set xrange [0.1:32]
set yrange [2:500]
set xtics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
set ytics (2, 5, 10, 20, 50, 100, 200, 500)
set samples 2000
set grid xtics ytics lc rgb "#dddddd" lt 1 lw 1
set border 3 lc rgb "#444444"
set tics nomirror out
set key bottom right reverse Left spacing 1.3 samplen 1
array shape[4] = [7, 9, 5, 13]
blue = 0x3a5a95
red = 0xd9622f
set label 1 sprintf("multiply-adds, float: %.0f GFLOP/s", peak_float) at 30, peak_float * 1.16 right tc rgb blue
set label 2 sprintf("multiply-adds, double: %.0f GFLOP/s", peak_double) at 30, peak_double * 1.16 right tc rgb red
set label 3 sprintf("stream: %.0f GB/s", stream) at 0.42, 0.42 * stream * 1.18 left rotate by 31 tc rgb "#444444"
plot roof(x, peak_float) lw 3 lc rgb blue notitle, roof(x, peak_double) lw 3 lc rgb red notitle, \
    x * stream < peak_double ? x * stream : NaN lw 3 lc rgb "#444444" notitle, \
    NaN with lines lw 6 lc rgb blue title "float", NaN with lines lw 6 lc rgb red title "double", \
    for [k = 0:3] "$work/float" every ::k::k using (\$1 / \$2):(\$3 / 1e9) pt shape[k + 1] ps 3 lc rgb blue notitle, \
    for [k = 0:3] "$work/double" every ::k::k using (\$1 / \$2):(\$3 / 1e9) pt shape[k + 1] ps 3 lc rgb red notitle, \
    "$work/tiles" using (\$1 / \$2):(\$3 / 1e9) pt 12 ps 3 lw 2 lc rgb blue notitle, \
    for [k = 1:4] NaN with points pt shape[k] ps 2 lc rgb "#444444" title word("cells diffusion record step", k), \
    NaN with points pt 12 ps 2 lw 2 lc rgb "#444444" title "step on the emulated machine"
END
mv "$work/picture.png" "$picture"
