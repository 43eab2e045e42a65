#!/usr/bin/env bash
# run.sh [FILES [SEED]]: how many findings do benign results have? A tree of text
# files (default 1000) is read through the filesystem server from npm, the
# session is recorded and scanned, and findings per thousand results are printed
# by rule. Nothing in the tree is a secret, so each finding that blocks is false.
set -euo pipefail
cd "$(dirname "$0")/../.."
files=${1:-1000} seed=${2:-1}
data=bench/data/precision
mkdir -p "$data"
# Not below this folder: there are Go files in it that are none of the module's.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
go run ./bench/precision/tree -o "$tree" -files "$files" -seed "$seed"
bash tools/record/record.sh "$data" memory >/dev/null # installs what is missing
node tools/record/record.mjs tree "$data/tree.jsonl" --tree "$tree"
go build -o "$data/warden-inspect" ./cmd/warden-inspect
code=0
"$data/warden-inspect" scan --no-progress -q --json "$data/findings.jsonl" "$data/tree.jsonl" >/dev/null || code=$?
((code <= 1))
results=$(jq -n '[inputs | select(.frame.result.content != null)] | length' "$data/tree.jsonl")
printf '\n%s results, %s with a finding that blocks\n\n' "$results" \
  "$(jq -n '[inputs | select(.kind == "result-finding" and .tier == "block") | .frame] | unique | length' "$data/findings.jsonl")"
jq -rn --argjson results "$results" '
  [inputs | select(.kind == "result-finding")]
  | group_by([.tier, .rule_id, .sub_rule])
  | (["tier", "rule", "findings", "results", "per thousand results"] | @tsv),
    (.[] | [.[0].tier, .[0].rule_id + (if (.[0].sub_rule // "") != "" then " " + .[0].sub_rule else "" end), length,
       ([.[].frame] | unique | length), (([.[].frame] | unique | length) * 1000 / $results * 10 | round / 10)] | @tsv)' \
  "$data/findings.jsonl" | column -t -s $'\t'
