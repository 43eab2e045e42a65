#!/usr/bin/env bash
# fuzz.sh [TIME [LIMIT]]: runs every fuzz target of the module for TIME each
# (default 5s), starting none after LIMIT seconds (default: no limit). A target
# that was not started is named; a crash fails the step.
set -euo pipefail
cd "$(dirname "$0")/../.."
time=${1:-5s}
limit=${2:-0}
start=$SECONDS ran=0 left=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() { go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 5s "./$(dirname "$file")" >"$log" 2>&1; }
while IFS=: read -r file target; do
  if ((limit > 0 && SECONDS - start > limit)); then
    printf 'no time left for %s in %s\n' "$target" "$(dirname "$file")"
    left=$((left + 1))
    continue
  fi
  printf -- '-- %s %s\n' "$(dirname "$file")" "$target"
  for try in 1 2 3 4; do
    run && break
    # Now and then the go tool takes the end of its time for a failure, without any
    # input that failed: such a run is made again.
    if ((try == 4)) || ! grep -q 'context deadline exceeded' "$log" || grep -q 'Failing input' "$log"; then
      cat "$log"
      exit 1
    fi
  done
  tail -n 3 "$log"
  ran=$((ran + 1))
done < <(git ls-files '*_test.go' | xargs grep -oE '^func Fuzz[A-Za-z0-9_]+\(f \*testing\.F\)' /dev/null | sed -E 's/:func (Fuzz[A-Za-z0-9_]+).*/:\1/' | sort)
printf '%d fuzz targets ran, %d were left out\n' "$ran" "$left"
((ran > 0))
