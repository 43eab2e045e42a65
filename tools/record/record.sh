#!/usr/bin/env bash
# record.sh DIR [SERVER...]: records one session of each server from npm into
# DIR/SERVER.jsonl (all of them when none is named).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
servers=("$@")
((${#servers[@]})) || servers=(everything filesystem memory tasks thinking)
if [[ ! -d $here/node_modules ]] || [[ $here/package-lock.json -nt $here/node_modules/.package-lock.json ]]; then
  for try in 1 2 3; do # a registry may be slow, it is not a reason to fail
    if (cd "$here" && npm ci --no-audit --no-fund --no-progress); then break; fi
    ((try < 3)) || exit 1
    sleep $((try * 5))
  done
fi
for server in "${servers[@]}"; do
  node "$here/record.mjs" "$server" "$out/$server.jsonl" --root "${TMPDIR:-/tmp}/demo"
  printf '%s: %d frames\n' "$server" $(($(wc -l <"$out/$server.jsonl") - 1))
done
