#!/bin/sh
# The page of reports that is kept, data/report/template.html, is the one that its sources give, has one place for data, lets nothing in
# and nothing out, and carries the licences of what it holds. Needs neither npm nor a browser.
#     template.sh SOURCE    the root of the source
set -eu
cd "$1"
page=data/report/template.html
sums=data/report/template.sha256
fail() {
    echo "$*" >&2
    exit 1
}
again='build it anew: npm ci && npm run build in app/report/page'

sha256sum --check --quiet --strict "$sums" || fail "$page is not of these sources; $again"
for file in "$page" app/report/page/build.mjs app/report/page/package.json app/report/page/package-lock.json app/report/page/src/*; do
    grep -q "^[0-9a-f]*  $file\$" "$sums" || fail "$sums does not have $file; $again"
done
n=$(wc -c <"$page")
[ "$n" -le 819200 ] || fail "$page has $n bytes, more than 819200"

[ "$(grep -cxF '<!-- data -->' "$page")" = 1 ] || fail "$page: not one line '<!-- data -->'"
[ "$(grep -oF 'data -->' "$page" | wc -l)" = 1 ] || fail "$page: '<!-- data -->' is not there once"
[ "$(grep -n -m 1 '<script>' "$page" | cut -d : -f 1)" -gt "$(grep -nxF '<!-- data -->' "$page" | cut -d : -f 1)" ] ||
    fail "$page: data would come after the script"

policy=$(grep -o '<meta http-equiv="Content-Security-Policy" content="[^"]*">' "$page") || fail "$page: no Content-Security-Policy"
for part in "default-src 'none'" "script-src 'sha256-" "style-src 'sha256-" "img-src data: blob:" "base-uri 'none'" "form-action 'none'"; do
    case $policy in
    *"$part"*) ;;
    *) fail "$page: its Content-Security-Policy has no $part" ;;
    esac
done
case $policy in *unsafe* | *http:* | *https:* | *'*'*) fail "$page: its Content-Security-Policy lets in too much: $policy" ;; esac

for pattern in '(src|href|action|data|poster)=["'\'']?(https?:)?//' 'url\(["'\'']?(https?:)?//' '@import' 'import\(' 'sourceMappingURL' \
    'XMLHttpRequest' '(^|[^a-z])fetch\(' 'WebSocket' 'EventSource' 'sendBeacon' 'innerHTML' 'insertAdjacentHTML' 'document\.write' '(^|[^a-z])eval\('; do
    if grep -qiE "$pattern" "$page"; then fail "$page: holds $pattern"; fi
done

for owner in 'three.js authors' 'Leon Sorokin'; do
    grep -qi "copyright.*$owner" "$page" || fail "$page: no licence of $owner"
done
[ "$(grep -c 'Permission is hereby granted' "$page")" -ge 2 ] || fail "$page: the licences are not whole"
