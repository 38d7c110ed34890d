#!/bin/sh
# .ci/run begins with the README's test command, ends with 0 where all it calls does, and stops where anything fails. A copy
# of it is run among stand-ins for what it calls, of which the first fails, then the second, and so on.
set -eu
fail() {
    echo "$*" >&2
    exit 1
}
line='.ci/install test && cmake --workflow --preset dev'
grep -qxF "    $line" README.md || fail "README.md: no line '$line'"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/.ci" "$folder/bin"
cp .ci/run "$folder/.ci/run"
touch "$folder/one.c" # something whose format can be checked
cat >"$folder/bin/cmake" <<'END'
#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
[ "$(wc -l <"$CALLS")" -ne "$FAILING" ]
END
for name in bin/ctest bin/clang-format-14 .ci/install; do cp "$folder/bin/cmake" "$folder/$name"; done
chmod +x "$folder"/bin/* "$folder/.ci/install"

PATH=$folder/bin:$PATH CALLS=$folder/calls FAILING=0
export PATH CALLS FAILING
cd /
"$folder/.ci/run" || fail "nothing fails, and it answers $?"
cp "$CALLS" "$folder/all"
[ "$(head -n 2 "$CALLS")" = "install test
cmake --workflow --preset dev" ] || fail "it does not begin with '$line' but with: $(head -n 2 "$CALLS")"
for call in 'clang-format-14 .*--dry-run -Werror .*one\.c' 'cmake --workflow --preset asan'; do
    grep -qx "$call" "$CALLS" || fail "it does not call $call"
done

n=$(wc -l <"$folder/all")
for FAILING in $(seq "$n"); do
    rm "$CALLS"
    call=$(sed -n "${FAILING}p" "$folder/all")
    ! "$folder/.ci/run" || fail "'$call' fails, and it answers 0"
    [ "$(cat "$CALLS")" = "$(head -n "$FAILING" "$folder/all")" ] || fail "'$call' fails, and it goes on"
done
echo "stops at each of $n calls"
