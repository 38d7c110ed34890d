#!/bin/sh
# The examples are short, agree with plain C (they say so by their exit code), and print the cycles that follow from their costs and
# from the machine's constants.
#   examples.sh FOLDER SOURCE    where they are built
set -eu
folder=$1 source=$2
fail() {
    echo "$*" >&2
    exit 1
}
for file in "$source"/ipu/examples/*.c; do
    [ "$(wc -l <"$file")" -le 100 ] || fail "$file has more than 100 lines"
done

# run NAME ARGUMENT...: sets cycles, copies, sync, exchange, compute and host to what it prints of a step.
run() {
    name=$1 host=0 copies=0
    shift
    said=$("$folder/example_$name" "$source/data/machines/gc200.yaml" "$@") || fail "$name $*: answers $?"
    echo "$name $*: $said"
    numbers=$(printf '%s' "$said" | tr -d ':,' | grep -oE '(step|cycles|sync|exchange|compute|host|copies) [0-9]+')
    eval "$(printf '%s\n' "$numbers" | sed 's/^step/cycles/; s/ /=/')"
}
is() {
    [ "$2" -eq "$3" ] || fail "$name: $1 is $2, not $3"
}

# constant NAME: the number of this key in the machine's file
constant() {
    sed -n "s/^ *$1: *\([0-9]*\).*/\1/p" "$source/data/machines/gc200.yaml"
}
# 6 workers take turns: what one takes counts six times.
start=$(($(constant launch_cycles) + $(constant entry_cycles))) # of a compute set with one vertex on a tile
run vector_add
is compute "$compute" $((start + 6 * (20 + 3 * 300 / 6 / 2)))
is cycles "$cycles" $((compute + host)) # nothing goes from tile to tile

run heat 1
is compute "$compute" $((start + 6 * 3 * (10 + 8 * 32))) # 16 rows for 6 workers
is sync "$sync" 126
is cycles "$cycles" $((sync + exchange + compute))
[ "$exchange" -ge $((2 * 512)) ] || fail "heat: two planes of 512 words in $exchange cycles"
inside=$exchange
run heat 4
is compute "$compute" $((start + 6 * 3 * (10 + 8 * 32))) # of a grid four times as large
[ "$exchange" -gt "$inside" ] || fail "heat: nothing between chips"

run matrix_vector
is compute "$compute" $((start + 6 * (12 + 3 * 512)))
[ "$exchange" -ge $((1024 - 4)) ] || fail "matrix_vector: 1020 words in $exchange cycles"
is cycles "$cycles" $((copies + sync + exchange + compute))

# 2 (4 - 1) steps, in each of which an eighth of the 65536 floats goes either way over a link along the rail: 2 lanes of 0.85 x 128
# Gibit/s, at 1.325 GHz, and 2300 ns for the exchange itself.
run all_reduce 4
printf '%s' "$said" | grep -q ' 6 steps' || fail "all_reduce: $said"
rate=$((2 * 85 * 137438953472 / 100 / 1000000)) # bits a microsecond
least=$((65536 / 8 * 32 * 1325 / rate + 2300 * 1325 / 1000))
[ "$exchange" -ge "$least" ] && [ "$exchange" -lt $((least * 11 / 10)) ] || fail "all_reduce: $exchange, not $least"
