#!/usr/bin/env bash
# The reports with real consumers: DuckDB reads the Parquet tables and runs the
# README's queries, headless Chromium uses the HTML report of hostile and of very
# large recordings, and the GitHub action's script runs on the corpus.
set -euo pipefail
cd "$(dirname "$0")/../.."
go build -trimpath -o bin/ ./cmd/warden-inspect
(cd interop/duckdb && go vet ./... && go test -count=1 ./...) # the program that it runs is none of its inputs
(
  cd interop/browser
  npm install --no-audit --no-fund --no-package-lock --silent
  node test.mjs "$PWD/../../bin/warden-inspect"
)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
code=0
TRACES=$'corpus/sessions/review.jsonl\n\n  \n' ARGS=--coverage=full SARIF=$out/w.sarif HTML=$out/w.html \
  GITHUB_OUTPUT=$out/outputs GITHUB_STEP_SUMMARY=$out/summary.md \
  bash tools/ci/action.sh bin/warden-inspect >"$out/log" || code=$?
if [[ $code != 1 ]] || ! grep -q '^::error file=corpus/sessions/review.jsonl,line=' "$out/log" ||
  ! grep -qx 'exit-code=1' "$out/outputs" || ! grep -q 'block finding' "$out/summary.md" || [[ ! -s $out/w.html ]]; then
  printf 'the action ended with %s\n' "$code" >&2
  cat "$out/log" >&2
  exit 1
fi
jq -e '.version == "2.1.0"' "$out/w.sarif" >/dev/null
code=0
TRACES=$'corpus/real' SARIF='' HTML='' bash tools/ci/action.sh bin/warden-inspect >/dev/null || code=$?
[[ $code == 0 ]]
code=0
TRACES='' bash tools/ci/action.sh bin/warden-inspect 2>/dev/null || code=$?
[[ $code == 2 ]]
echo 'the action, DuckDB and Chromium agree'
