#!/bin/sh
# Prints the licences and notices of all that is compiled into shadowd, for any
# system that it is released for. Archives, packages and the image carry what this
# prints. A module without a licence is an error.
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C

# show prints the licence files of a folder, each below its name.
show() {
  for file in "$1"/LICEN[CS]E* "$1"/COPYING* "$1"/NOTICE* "$1"/PATENTS*; do
    [ ! -f "$file" ] || { printf '\n-- %s\n\n' "$file" | sed "s|-- $2/|-- |"; cat "$file"; }
  done
}

echo "shadowd is under the Apache License 2.0. It has the following Go modules in it, under their"
echo "own licences. The source of each is at https://proxy.golang.org under its path and version."

printf '\n==== Go and its standard library %s\n' "$(go env GOVERSION)"
root=$(go env GOROOT)
show "$root" "$root"

packages=
for os in linux darwin windows; do
  packages="$packages$(GOOS=$os go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}} {{$.Dir}}{{end}}{{end}}' ./cmd/shadowd)
"
done
last=
echo "$packages" | sort -u | sed '/^ *$/d' | while read -r path version dir package; do
  if [ "$path" != "$last" ]; then
    last=$path
    printf '\n==== %s %s\n' "$path" "$version"
    text=$(show "$dir" "$dir")
    [ -n "$text" ] || { echo "there is no licence in $dir" >&2; exit 1; }
    echo "$text"
  fi
  # A package may hold what others have written.
  [ "$package" = "$dir" ] || show "$package" "$dir"
done
