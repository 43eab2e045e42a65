#!/usr/bin/env bash
# Every platform that is released must build; the portable kernel is compiled on
# all but amd64.
set -euo pipefail
cd "$(dirname "$0")/../.."
for os in linux darwin windows; do
  for arch in amd64 arm64; do
    CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -o /dev/null ./cmd/warden-inspect
    CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -o /dev/null ./cmd/warden-replay
    printf '%s/%s builds\n' "$os" "$arch"
  done
done
