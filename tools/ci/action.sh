#!/usr/bin/env bash
# action.sh PROGRAM: what the GitHub action runs. Its inputs are the variables
# TRACES, ARGS (one a line), FAIL_ON, BASELINE, SARIF, HTML; annotations go to the
# log, Markdown to the job's summary, the names of the reports to its outputs.
set -euo pipefail
program=$1
args=(--format github --no-progress --fail-on "${FAIL_ON:-block}")
[[ -z ${SARIF:-} ]] || args+=(--sarif "$SARIF")
[[ -z ${HTML:-} ]] || args+=(--html "$HTML")
[[ -z ${BASELINE:-} ]] || args+=(--baseline "$BASELINE")
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
args+=(--markdown "$summary")
lines() { # VARIABLE: its lines that are not blank, into the array `read`
  read=()
  local line
  while IFS= read -r line || [[ -n $line ]]; do
    [[ -z ${line//[[:space:]]/} ]] || read+=("$line")
  done <<<"${!1:-}"
}
lines ARGS
args+=("${read[@]}")
lines TRACES
if ((${#read[@]} == 0)); then
  echo '::error::the input "traces" names nothing' >&2
  exit 2
fi
# "--" keeps a trace whose name begins with a dash from being a flag.
code=0
"$program" scan "${args[@]}" -- "${read[@]}" || code=$?
[[ ! -s $summary ]] || cat "$summary" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
{
  printf 'sarif=%s\n' "${SARIF:-}"
  printf 'html=%s\n' "${HTML:-}"
  printf 'exit-code=%s\n' "$code"
} >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$code"
