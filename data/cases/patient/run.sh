#!/bin/sh
# Generates the heart of the four cases in this folder, and runs them: data/cases/patient/run.sh SURFACES, in the root of the source.
# SURFACES is a folder with the three surfaces of patient 1 of biv-me (Apache-2.0, University of Auckland), which are not part of Myotile:
# https://github.com/UOA-Heart-Mechanics-Research/biv-me, commit d01024f8d824a7600cab3daf24b63d202f127d87, in
# example/fitted-models/default/patient1/obj. They are fitted to cine MRI, in the coordinates of the scanner.
set -e
(cd "$1" && sha256sum -c --quiet) << 'END'
966e885dc0dcb2a979d7b26082737be3207984906640d87e11400dca62be940a  patient1_EPICARDIAL_000.obj
042423920a9c348c1d983dca80ba6cb65e877439809d39fcdff1248abf6714ae  patient1_LV_ENDOCARDIAL_000.obj
d5d46d5c3c9b7a30a318107a76c227ae0e68e15078539775de0146194cedbb8b  patient1_RV_ENDOCARDIAL_000.obj
END
build/release/myotile heart "$1"/patient1_EPICARDIAL_000.obj "$1"/patient1_LV_ENDOCARDIAL_000.obj \
    "$1"/patient1_RV_ENDOCARDIAL_000.obj --conduction-system --scanner-axes --elements 2500000 --case-only -o patient
for case in sinus lbbb rbbb pacing; do
    build/release/myotile run data/cases/patient/$case.yaml -o patient-$case
done
