#!/bin/sh
# Builds the archives of a release in dist/: one per system, with the program, completions, the
# manual page, the licences of the modules in it, and the checksums of all. The same commit and Go version give the
# same bytes.
set -eu
revision=$(git rev-parse HEAD)
moment=$(git log -1 --format=%ct)
rm -rf dist && mkdir -p dist/parts
go build -trimpath -o dist/dowse ./cmd/dowse
for shell in bash zsh fish powershell; do dist/dowse completion $shell > dist/parts/dowse.$shell; done
dist/dowse completion man > dist/parts/dowse.1
rm dist/dowse
cp README.md CHANGELOG.md dist/parts/
# licences FOLDER NAME copies the licence files of a module, and fails if it has none.
licences() {
  mkdir -p dist/parts/licences/"$2"
  find "$1" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) -exec cp {} dist/parts/licences/"$2"/ \;
  [ -n "$(ls dist/parts/licences/"$2")" ] || { echo "no licence in $1" >&2; exit 1; }
}
licences "$(go env GOROOT)" go
for system in linux darwin windows; do
  GOOS=$system go list -deps -f '{{with .Module}}{{if not .Main}}{{.Dir}} {{.Path}}{{end}}{{end}}' ./cmd/dowse
done | sort -u > dist/modules
while read -r folder name; do licences "$folder" "$name"; done < dist/modules
rm dist/modules
chmod -R u+w dist/parts/licences
for release in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
  name=dowse-$(echo $release | tr / -)
  suffix=$(case $release in windows/*) echo .exe ;; esac)
  mkdir dist/$name && cp -R dist/parts/. dist/$name/
  CGO_ENABLED=0 GOOS=${release%/*} GOARCH=${release#*/} go build -trimpath -buildvcs=false \
    -ldflags "-s -w -buildid= -X main.revision=$revision" -o dist/$name/dowse$suffix ./cmd/dowse
  tar -C dist --sort=name --mtime=@"$moment" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -cf - $name | gzip -9n > dist/$name.tar.gz
  rm -r dist/$name
done
rm -r dist/parts
cd dist && sha256sum ./*.tar.gz > SHA256SUMS && cat SHA256SUMS
