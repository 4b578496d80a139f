#!/bin/sh
# Builds the archives of a release in dist/: one per system, with the program, completions, the
# manual page and the checksums of all. The same commit and Go version give the same bytes.
set -eu
revision=$(git rev-parse HEAD)
moment=$(git log -1 --format=%ct)
rm -rf dist && mkdir -p dist/parts
go build -trimpath -o dist/dowse ./cmd/dowse
for shell in bash zsh fish powershell; do dist/dowse completion $shell > dist/parts/dowse.$shell; done
dist/dowse completion man > dist/parts/dowse.1
rm dist/dowse
cp README.md CHANGELOG.md dist/parts/
for release in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
  name=dowse-$(echo $release | tr / -)
  suffix=$(case $release in windows/*) echo .exe ;; esac)
  mkdir dist/$name && cp dist/parts/* dist/$name/
  CGO_ENABLED=0 GOOS=${release%/*} GOARCH=${release#*/} go build -trimpath -buildvcs=false \
    -ldflags "-s -w -buildid= -X main.revision=$revision" -o dist/$name/dowse$suffix ./cmd/dowse
  tar -C dist --sort=name --mtime=@"$moment" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -cf - $name | gzip -9n > dist/$name.tar.gz
  rm -r dist/$name
done
rm -r dist/parts
cd dist && sha256sum ./*.tar.gz > SHA256SUMS && cat SHA256SUMS
