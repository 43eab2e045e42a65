#!/usr/bin/env bash
# The packages that run goroutines, and what those call.
set -euo pipefail
cd "$(dirname "$0")/../.."
mapfile -t packages < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./replay/... ./formats/... ./cmd/...)
if ((${#packages[@]} == 0)); then
  echo 'no package with tests under replay, formats, cmd' >&2
  exit 1
fi
go test -race -timeout 15m "${packages[@]}"
