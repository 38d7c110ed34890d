#!/bin/sh
# A run on several processes leaves the same files to the byte as a run of one, says the same, and a bad case is refused once.
#     ranks.sh MYOTILE MPIEXEC           two runs on 2 and 3 ranks; ensembles on 2 and 3
#     ranks.sh MYOTILE MPIEXEC KILLS     the same on 1 to 8 ranks, both backends, all ways to cut and all schemes; ensembles that are stopped
#                                        and killed; and runs of which a rank is killed, so many times, that go on with another number of ranks
#     ranks.sh MYOTILE MPIEXEC KILLS OTHER   and not by the launcher of another MPI
set -eu
myotile=$1 mpiexec=$2 kills=${3:-} other=${4:-}
export OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0 # MPI keeps what it has for the life of the program
# As root, and more ranks than processors, as here: Open MPI wants to be told; MPICH does not.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 # another test runs at the same time
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_CACHE_HOME="${MT_TEST_CACHE:-$folder/cache}" # not of an older build
fail() {
    echo "$*" >&2
    exit 1
}

# All that a run can leave: maps of two beats, traces, frames, potentials of an electrode, checkpoints.
cat >all.yaml <<'END'
mesh: {slab: {size_mm: [5, 2, 1.5], edge_mm: 0.5}}
tissue: {intracellular_l_mS_mm: 0.17, intracellular_t_mS_mm: 0.019, extracellular_l_mS_mm: 0.62,
         extracellular_t_mS_mm: 0.24, chi_per_mm: 140, cm_uF_mm2: 0.01}
cell: {type: epi}
time: {dt_ms: 0.02, end_ms: 6}
stimuli: [{min_mm: [0, 0, 0], max_mm: [1, 2, 1.5], start_ms: 0, duration_ms: 2, strength_uA_mm3: 50}]
points: [{name: A, at_mm: [1, 1, 0.7]}, {name: B, at_mm: [4.5, 1, 0.7]}]
electrodes: [{name: E, at_mm: [10, 1, 1]}]
output: {beats: every, beat_ms: 3, maps: [activation, apd]}
traces: {every_ms: 0.5, fields: [V, Ca_i]}
series: {every_ms: 2, fields: [V, m]}
checkpoint: {every_minutes: 0, every_ms: 1, keep: 3, at_end: true}
machine: {ipus: 8, tiles: 12, partition: hierarchical}
END

# A conduction network from outside of the slab to two free ends in it, near one side: some ranks have no part of a junction.
cat >net.csv <<'END'
x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm
1,1,6,1,1,3
1,1,3,0.5,1,1
1,1,3,1.8,1,1
END

# on RANKS FOLDER ARGUMENT...: standard output in FOLDER.out
on() {
    ranks=$1 to=$2
    shift 2
    rm -rf out
    launcher="$mpiexec -n $ranks"
    [ "$ranks" -gt 0 ] || launcher=
    $launcher "$myotile" run all.yaml --progress never -o out "$@" >"$to.out" 2>"$to.err" ||
        fail "$* on $ranks ranks: $(cat "$to.err")"
    rm -rf "$to"
    mv out "$to"
}

# same FOLDER OTHER WHAT
same() {
    diff -r "$1" "$2" >differs || fail "$3: $(cat differs)"
    diff "$1.out" "$2.out" >differs || fail "$3: $(cat differs)"
    diff "$1.err" "$2.err" >differs || fail "$3, what it warns of: $(cat differs)"
}

# continues RANKS OTHER ARGUMENT...: a run to 3 ms on RANKS, continued on OTHER ranks, leaves the results of `alone`. It begins with one
# beat instead of two, so that cycles are those of two segments.
continues() {
    ranks=$1 other_ranks=$2
    shift 2
    on "$ranks" first "$@" --set time.end_ms=3
    mv first out
    $mpiexec -n "$other_ranks" "$myotile" run all.yaml --resume out --progress never "$@" >some.out 2>some.err ||
        fail "$* of $ranks ranks, continued on $other_ranks: $(cat some.err)"
    for file in result.hdf series.hdf activation.csv traces.csv ecg.csv; do
        cmp alone/$file out/$file || fail "$* of $ranks ranks, continued on $other_ranks"
    done
}

# refused RANKS WORDS ARGUMENT...: nobody says more than the one line
refused() {
    ranks=$1 words=$2
    shift 2
    if $mpiexec -n "$ranks" "$myotile" "$@" --progress never >said.out 2>said; then fail "$*: was not refused"; fi
    grep -q "$words" said || fail "$*: $(cat said)"
    [ "$(grep -c ^myotile: said)" = 1 ] && ! [ -s said.out ] || fail "$*: more than one speaks: $(cat said said.out)"
}

# ends WHICH: the rank that alone fails, while others wait for it, says why and ends all
ends() {
    status=0
    # shellcheck disable=SC2016 # each rank asks which it is
    timeout 100 $mpiexec -n 3 sh -c 'which=$1; shift
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}" != "$which" ] || set -- "$@" --unknown
exec "$@"' sh "$1" "$myotile" run all.yaml --progress never -o out >said.out 2>said || status=$?
    [ $status = 2 ] || fail "rank $1 failed, and the launcher answered $status: $(cat said)"
    [ "$(grep -c "^myotile: .*unknown option '--unknown'" said)" = 1 ] || fail "rank $1 failed: $(cat said)"
    [ "$1" = 0 ] || grep -q "^myotile: rank $1 of 3: " said || fail "rank $1 did not say its number: $(cat said)"
}

# networks RANKS OTHER: a conduction network, with voltages in the elements on RANKS, and at the vertices on OTHER
networks() {
    for_elements=$1 for_nodes=$2
    set -- --set machine.backend=cpu --set network.file=net.csv --set stimuli=[] --set 'network.stimuli=[{"node": 0}]' \
        --set time.end_ms=14 --set output.maps=[activation] --set output.beat_ms=7
    for places in elements nodes; do
        on 0 alone "$@" --set diffusion.discretisation=$places
        grep -q 'antegrade$' alone/junctions.csv || fail "a network without effect: $(cat alone/junctions.csv)"
        ranks=$for_elements
        [ $places = elements ] || ranks=$for_nodes
        on "$ranks" some "$@" --set diffusion.discretisation=$places
        same alone some "a conduction network, $places, $ranks ranks"
    done
}

# members RANKS STATUS FOLDER ARGUMENT...: an ensemble, in FOLDER from the members in `out`
members() {
    ranks=$1 expected=$2 to=$3 status=0
    shift 3
    launcher="$mpiexec -n $ranks"
    [ "$ranks" -gt 0 ] || launcher=
    timeout 100 $launcher "$myotile" run all.yaml --progress never --ensemble members.csv -o out \
        --set machine.backend=cpu --set checkpoint={} "$@" >"$to.out" 2>said || status=$?
    [ $status = "$expected" ] || fail "an ensemble on $ranks ranks: status $status: $(cat said)"
    grep '^myotile: ' said >"$to.err" || true # without the launcher's words
    rm -rf "$to"
    mv out "$to"
}

# starts RANKS: an ensemble with a long member; each rank writes its process id, and the others are complete in the end
starts() {
    rm -rf out
    printf 'name,time.end_ms\na,1\nlong,20000\nc,2\n' >members.csv
    # shellcheck disable=SC2016 # each rank asks which it is
    $mpiexec -n "$1" sh -c 'echo $$ >"process.${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}"; exec "$@"' sh "$myotile" run all.yaml \
        --progress never --ensemble members.csv -o out --set machine.backend=cpu --set checkpoint={} >said.out 2>said &
    job=$!
    for _ in $(seq 600); do
        [ "$(grep -c ',done$' out/ensemble.csv 2>/dev/null)" != 2 ] || [ ! -e out/long/.myotile.member ] || break
        kill -0 $job || fail "an ensemble on $1 ranks: $(cat said)"
        sleep 0.05
    done
}

# completes RANKS: the ensemble of `starts` with a shorter member
completes() {
    printf 'name,time.end_ms\na,1\nlong,3\nc,2\n' >members.csv
    members "$1" 0 some
    grep -q 'note: out: 2 of 3 members are complete' some.err || fail "a stopped ensemble: $(cat some.err)"
    rm -rf out
    members 0 0 alone
    diff -r alone some >differs || fail "a stopped ensemble, completed on $1 ranks: $(cat differs)"
}

# An ensemble on ranks leaves the files of one process: of members with several meshes, one of which fails.
ensembles() {
    printf '%s\n' name,time.end_ms,mesh.slab.edge_mm,stimuli.0.strength_uA_mm3 \
        a,2,0.5,50 wrong,2,0.5,1000000 c,1,0.25,50 d,2,0.5,40 e,1,0.25,40 f,2,0.5,30 >members.csv
    members 0 5 alone
    grep -q '^wrong,.*,failed,' alone/ensemble.csv || fail "a member that fails: $(cat alone/ensemble.csv)"
    members 3 5 some
    same alone some "an ensemble on 3 ranks"
    mv some out
    rm out/a/used.yaml out/e/result.hdf
    members 2 5 some
    grep -q 'note: out: 3 of 6 members are complete' some.err || fail "a repeated ensemble: $(cat some.err)"
    diff -r alone some >differs || fail "an ensemble repeated on 2 ranks: $(cat differs)"
    refused 3 'jobs 2 on 3 ranks; allowed: 1' run all.yaml --ensemble members.csv --jobs 2 -o out
    refused 2 'time.dt_ms' run all.yaml --ensemble members.csv --set time.dt_ms=-1 -o out
}

# The same after a signal and after the death of all processes.
ended_ensembles() {
    starts 3
    kill -INT "$(cat process.0)"
    status=0
    wait $job || status=$?
    [ $status = 130 ] || fail "an ensemble after a signal: status $status: $(cat said)"
    grep -q '^long,20000,[0-9].*,stopped,' out/ensemble.csv || fail "an ensemble after a signal: $(cat out/ensemble.csv)"
    [ -e out/long/result.hdf ] || fail "an ensemble after a signal: no results of the stopped member"
    completes 2
    starts 2
    kill -KILL $job "$(cat process.0)" "$(cat process.1)"
    wait $job || true
    completes 3
}

if [ -z "$kills" ]; then
    on 0 alone
    on 2 two
    same alone two "2 ranks"
    set -- --set machine.backend=cpu --set time.end_ms=18 --set stimuli.0.count=2 --set stimuli.0.period_ms=10
    on 0 alone "$@"
    on 3 three "$@"
    same alone three "backend cpu, 3 ranks"
    grep -q "1 of 2 pulses without capture" three.err || fail "a pulse that captures nothing: $(cat three.err)"
    set -- --set diffusion.discretisation=nodes --set output.maps=[activation,apd,conduction_velocity]
    set -- "$@" --set machine.backend=cpu
    on 0 alone "$@" --set machine.precision=double
    on 3 three "$@" --set machine.precision=double
    same alone three "voltages at the vertices, double precision, 3 ranks"
    on 0 alone "$@" --set machine.precision=single
    continues 2 3 "$@" --set machine.precision=single
    networks 2 5
    ensembles
    refused 3 'machine.ipus: 2, on 3 ranks; allowed: at most one rank per IPU' run all.yaml --set machine.ipus=2 -o out
    refused 2 'all.yaml/out' run all.yaml -o all.yaml/out
    refused 2 'time.dt_ms' run all.yaml --set time.dt_ms=-1 -o out
    refused 2 'cell: started on 2 ranks; allowed: one' cell
    ends 0
    ends 1
    exit
fi

if [ -n "$other" ]; then
    ends 2
    if $other -n 2 "$myotile" cell >said.out 2>said; then fail "$other was not refused"; fi
    grep -q 'myotile: started as one of 2 ranks by the launcher of another MPI' said || fail "by $other: $(cat said)"
    ! [ -s said.out ] || fail "by $other: $(cat said.out)"
fi

ended_ensembles
for partition in flat hierarchical; do
    for scheme in full ranged mixed-clean exact budget; do
        set -- --set machine.partition=$partition --set machine.scheme=$scheme
        on 0 alone "$@"
        for ranks in 1 2 3 4 8; do
            on $ranks some "$@"
            same alone some "$partition, $scheme, $ranks ranks"
        done
    done
done
for places in elements nodes; do
    for precision in single double; do
        set -- --set machine.backend=cpu --set machine.precision=$precision --set diffusion.discretisation=$places
        on 0 alone "$@"
        for ranks in 1 2 3 4 8; do
            on $ranks some "$@"
            same alone some "backend cpu, $precision precision, $places, $ranks ranks"
        done
    done
done
set -- --set machine.backend=cpu --set diffusion.discretisation=nodes --set time.end_ms=18 --set stimuli.0.count=2 \
    --set stimuli.0.period_ms=10 --set cell.stepping=multirate
on 0 alone "$@"
grep -q "1 of 2 pulses without capture" alone.err || fail "a pulse that captures nothing: $(cat alone.err)"
for ranks in 2 5; do
    on $ranks some "$@"
    same alone some "backend cpu, nodes, two pulses, $ranks ranks"
done
set -- --set diffusion.discretisation=nodes
on 0 alone "$@"
for ranks in 1 2 3 4 8; do
    on $ranks some "$@"
    same alone some "backend ipu, nodes, $ranks ranks"
    continues $ranks $((9 - ranks)) "$@"
done
networks 5 2
set -- --set machine.backend=cpu --set diffusion.discretisation=nodes --set output.maps=[activation,apd,conduction_velocity]
for precision in single double; do
    on 0 alone "$@" --set machine.precision=$precision
    on 3 some "$@" --set machine.precision=$precision
    same alone some "voltages at the vertices, $precision precision, 3 ranks"
    continues 2 3 "$@" --set machine.precision=$precision
done

# The time step of the newest checkpoint
newest() {
    ls out 2>/dev/null | sed -n 's/^checkpoint-0*\(.*\)\.hdf$/\1/p' | sort -n | tail -n 1 | grep . || echo 0
}

# A rank is killed somewhere on the way, after up to 29 of 40 ms; what is left goes on to the same files, on another number from 1 to 4.
set -- --set time.end_ms=40
on 0 alone "$@"
killed=0
for turn in $(seq "$kills"); do
    ranks=$((2 + turn % 3)) next=$((1 + (2 + turn % 3 + turn / 3 % 3) % 4)) which=$((turn % (2 + turn % 3)))
    rm -rf out
    $mpiexec -n $ranks "$myotile" run all.yaml --progress never -o out "$@" >first.out 2>first.err &
    job=$!
    while kill -0 $job 2>/dev/null && [ "$(newest)" -lt $((turn * 37 % 30 * 50)) ]; do sleep 0.02; done
    # shellcheck disable=SC2046 # a number each
    set -- $(pgrep -f "^$myotile run all.yaml" | sort -n) -- "$@"
    for process in "$@"; do
        [ "$process" != -- ] || break
        [ "$which" != 0 ] || kill -KILL "$process" 2>/dev/null || true
        which=$((which - 1))
    done
    while [ "$1" != -- ]; do shift; done
    shift
    wait $job || true
    [ -e out/result.hdf ] || killed=$((killed + 1)) # not as late as its results
    $mpiexec -n $next "$myotile" run all.yaml --resume out --progress never "$@" >some.out 2>some.err ||
        fail "killed of $ranks ranks, on $next: $(cat some.err)"
    rm -rf some
    mv out some
    diff -r alone some >differs || fail "killed of $ranks ranks, on $next: $(cat differs)"
done
echo "$killed of $kills killed"
[ "$killed" -gt $((kills / 2)) ] || fail "only $killed of $kills were killed in time"
