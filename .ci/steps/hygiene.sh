#!/usr/bin/env bash
# What no committed file may hold: control characters in text, and the addresses
# of package registries (a lock file that names a registry only works with it).
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C # the patterns are bytes
bad=0
# Text is what git takes for text. TAB and LF are fine, CR only where a case is about it.
mapfile -d '' -t files < <(git ls-files -z | while IFS= read -r -d '' f; do
  case $f in
    *.zst | *.gz | *.tar | *.png | *.parquet) ;;
    corpus/*.jsonl) ;; # recordings hold what their cases are about
    */testdata/*) ;; # goldens of what a terminal gets, vectors about such bytes
    *) [[ -f $f ]] && printf '%s\0' "$f" ;;
  esac
done)
if grep -lP '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]' -- "${files[@]}" 2>/dev/null; then
  echo 'these files hold raw control or direction characters' >&2
  bad=1
fi
# Said in pieces, so that this file does not hold what it looks for.
hosts=('registry''\.npmjs' 'registry''\.yarnpkg' 'proxy''\.golang' 'sum''\.golang' 'deb''\.debian' 'pypi''\.org/simple')
if grep -nE "$(IFS='|'; echo "${hosts[*]}")" -- "${files[@]}"; then
  echo 'these lines name a package registry' >&2
  bad=1
fi
if git ls-files | grep -E '(^|/)(node_modules|bench/data)/'; then
  echo 'installed or generated files are committed' >&2
  bad=1
fi
# What stands at the top is the design (and what tools look for there): a file that a
# run left behind is none of it.
top='.ci .gitignore .goreleaser.yaml .pre-commit-hooks.yaml README.md Taskfile.yml action.yml
analyze bench cmd corpus formats go.mod go.sum interop replay tools tui'
if git ls-files | cut -d/ -f1 | sort -u | grep -vxF "$(tr ' ' '\n' <<<"$top")"; then
  echo 'these stand at the top and are no part of the layout' >&2
  bad=1
fi
exit $bad
