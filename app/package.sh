#!/bin/sh
# What is installed beside the program and its data: manual page, completion, changelog in Debian's form, licence.
#   package.sh PROGRAM FOLDER SOURCE VERSION MAINTAINER
set -eu
program=$1 folder=$2 source=$3 version=$4 maintainer=$5
mkdir -p "$folder"
"$program" --manual | gzip -9n >"$folder/myotile.1.gz"
"$program" --completion >"$folder/myotile"
date=$(date -R -u -r "$source/CHANGELOG.md")
gzip -9n >"$folder/changelog.gz" <<END
myotile ($version) unstable; urgency=medium

  * CHANGELOG.md says what changed.

 -- $maintainer  $date
END
cp "$source/LICENSE" "$folder/copyright"
