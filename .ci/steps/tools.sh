#!/usr/bin/env bash
# The programs that the other steps use. As root on Debian the missing ones are
# installed; elsewhere they are named.
set -euo pipefail
declare -A package=([jq]=jq [zstd]=zstd [node]=nodejs [npm]=npm [git]=git [gcc]=gcc [chromium]=chromium)
missing=()
for tool in "${!package[@]}"; do
  command -v "$tool" >/dev/null || missing+=("${package[$tool]}")
done
if ((${#missing[@]})); then
  if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
    printf 'these packages are needed: %s\n' "${missing[*]}" >&2
    exit 1
  fi
  apt-get update -q
  apt-get install -q -y --no-install-recommends "${missing[@]}"
fi
go version
printf 'node %s, npm %s, %s, %s\n' "$(node --version)" "$(npm --version)" "$(jq --version)" "$(zstd --version | grep -o 'v[0-9.]*' | head -1)"
