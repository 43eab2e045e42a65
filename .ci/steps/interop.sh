#!/usr/bin/env bash
# Fresh sessions of the TypeScript client with the reference servers from npm,
# recorded and scanned.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=bin/recorded
rm -rf "$out"
bash tools/record/record.sh "$out"
bin/warden-inspect scan --no-progress -q --json "$out/findings.json" "$out"/*.jsonl
# Every line of a recording but its first is a frame.
lines=$(cat "$out"/*.jsonl | wc -l) traces=$(ls "$out"/*.jsonl | wc -l)
jq -se --argjson frames $((lines - traces)) --argjson traces "$traces" \
  'last | .kind == "run-summary" and .frames == $frames and .traces == $traces and .parse_errors == 0' "$out/findings.json"
