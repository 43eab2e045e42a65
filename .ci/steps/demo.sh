#!/usr/bin/env bash
# The README's first command, on the corpus: it reports findings and ends with 1,
# and every trace of the corpus can be read.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bin
run() { # WANTED-EXIT COMMAND...
  local want=$1 got=0
  shift
  printf -- '-- %s\n' "$*" >&2
  "$@" || got=$?
  if [[ $got != "$want" ]]; then
    printf 'exit code %s, wanted %s\n' "$got" "$want" >&2
    exit 1
  fi
}
go build -o bin/ ./cmd/warden-inspect
run 1 go run ./cmd/warden-inspect corpus/... 2>&1 | tail -n 40
run 1 bin/warden-inspect scan --no-progress --json bin/demo.jsonl --sarif bin/demo.sarif corpus/... >bin/demo.txt
jq -es 'last | .kind == "run-summary" and .traces > 30 and .exit_code == 1' bin/demo.jsonl >/dev/null
jq -e '.version == "2.1.0" and (.runs | length) == 1 and ([.runs[0].results[].locations | length > 0] | all)' bin/demo.sarif >/dev/null
# Recordings of well-behaved servers hold nothing that blocks.
run 0 bin/warden-inspect scan --no-progress -q corpus/real
# The same, whatever the number of workers.
run 1 bin/warden-inspect scan --no-progress --jobs 1 --json bin/demo-1.jsonl corpus/... >bin/demo-1.txt
run 1 bin/warden-inspect scan --no-progress --jobs 4 --json bin/demo-4.jsonl corpus/... >bin/demo-4.txt
cmp bin/demo-1.jsonl bin/demo-4.jsonl
cmp bin/demo-1.txt bin/demo-4.txt
