#!/bin/sh
# Two builds of the program give the same results: every file and table of the everyday commands, byte by byte.
#
#     tests/same_results.sh OLD NEW [WORDS.sed]    OLD, NEW: two programs `myotile`
#
# Where NEW only says the same in other words, WORDS.sed turns the words of OLD's text files into those.
#
# For changes that must not change any number. What they wrote and printed stays in a folder that is named where anything
# differs. Takes a minute or two; needs gmsh.
set -eu
old=$(realpath "$1") new=$(realpath "$2") source=$(cd "$(dirname "$0")/.." && pwd)
words=${3:+$(realpath "$3")}
work=$(mktemp -d)

everyday() {
    myotile=$1
    niederer=$source/data/cases/niederer-0.5.yaml
    ventricles=$source/data/cases/ventricles.yaml
    n=0
    say() { # the tables of a command, in a file of their own
        n=$((n + 1))
        "$myotile" "$@" >"said.$n" 2>"warned.$n" || echo "exit $?" >>"said.$n"
    }
    of_tiles=$("$myotile" run --help | sed -n 's/.*--profile DIR .*/ipu/p') # before, it named no folder
    say run "$niederer" --set time.end_ms=30 --profile $of_tiles --trace 0:1 --trace-tiles 0:63 --output ipu
    say run "$niederer" --set time.end_ms=10 --set machine.ipus=4 --set machine.partition=hierarchical \
        --set machine.scheme=exact --set machine.balance_halo=true --set cell.type=mid --format json --output ipus
    say run "$niederer" --set time.end_ms=30 --set machine.backend=cpu --set cell.type=endo --output cpu
    say run "$niederer" --set time.end_ms=2 --set machine.scheme=budget --set machine.target=bow \
        --set machine.checked=true --set machine.tiles=100 --output checked
    say mesh fibres heart.hdf -o fibred.hdf
    say mesh surfaces heart.hdf --surfaces found -o found.hdf
    say mesh info fibred.hdf --no-cache --trial-steps 100
    say mesh refine fibred.hdf -o fine.hdf
    say mesh slab --size-mm 5,3,2 --edge-mm 0.5 --cut kuhn -o kuhn.hdf
    say mesh convert filled.hdf again.hdf --repair
    for ending in msh pts vtu; do
        say mesh convert fibred.hdf "fibred.$ending"
        say mesh convert "fibred.$ending" "back.$ending.hdf" --repair
    done
    for scheme in full ranged mixed-clean exact budget; do
        say partition fibred.hdf --scheme $scheme --ipus 1,2,4 --check
    done
    say partition fibred.hdf --ipus 16 --partition hierarchical --balance-halo --scheme exact -o parts.hdf \
        --picture parts.png --profile profile
    say run "$ventricles" --set time.end_ms=12 --set cell.type=layers --output layers \
        --set 'stimuli=[{surface: lv_endocardium, start_ms: 1, duration_ms: 2, strength_uA_mm3: 50}]'
    say run "$ventricles" --set time.end_ms=12 --output ventricles
    for table in table1 table2 table3 figure6; do say reproduce $table --mesh fibred.hdf --ipus 1,2,4 --format csv; done
    say reproduce figure5 --mesh fibred.hdf --ipus 1,2,4 --picture figure5.png
    say reproduce figure1 --mesh fibred.hdf --set time.end_ms=20 --picture figure1.png
    say reproduce figure4 --mesh fibred.hdf --times 5,12 --backends ipu,cpu --picture figure4.png
    say reproduce figure3 --edges-mm 0.5 --corners 2 --set time.end_ms=30 --picture figure3.png
    say reproduce waves --lengths 0.8 --plain --format csv --picture waves.png
    say tune --cv-l 0.6 --cv-t 0.3 --edge-mm 1 --set time.dt_ms=0.05
    for type in epi mid endo; do say cell --type $type -o $type.csv; done
    say cell --precision float -o float.csv
    say machine list
    for machine in gc200 gc2 bow c600; do say machine show $machine; done
    say run "$niederer" --set cell.type=nonsense
}

# What Gmsh makes differs from time to time: both get the same.
mkdir "$work/made"
"$new" mesh ventricles --elements 20000 -o "$work/made/heart.hdf" >/dev/null
"$new" mesh fill "$source/data/geometry/ventricle.obj" --elements 10000 -o "$work/made/filled.hdf" >/dev/null
for which in old new; do
    cp -r "$work/made" "$work/here" && cd "$work/here"
    eval "everyday \"\$$which\""
    # how long work took and where a program has its data are no results
    sed -i -E -e '/^time +[0-9.e-]+ +s$/d' -e '/^Stages$/,$d' -e 's#: /.*/data/machines/#: data/machines/#' \
        -e '/^─+$/d' -e 's/  +/ /g' said.* # rules and columns are as wide as what is told no more, too
    cd "$work" && mv here $which
done
if [ -n "$words" ]; then
    find "$work/old" -type f -exec grep -Iq . {} \; -exec sed -i -E -f "$words" {} +
fi
files=$(find "$work/old" -type f | wc -l)
if ! diff -r "$work/old" "$work/new"; then
    echo "they differ; what they gave is in $work" >&2
    exit 1
fi
rm -rf "$work"
echo "the same: $files files"
