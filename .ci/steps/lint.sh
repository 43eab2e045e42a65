#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")/../.."
unformatted=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
if [[ -n $unformatted ]]; then
  printf 'not formatted by gofmt:\n%s\n' "$unformatted" >&2
  exit 1
fi
go vet ./...
go tool -modfile=tools/go.mod staticcheck ./...
