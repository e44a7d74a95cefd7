#!/usr/bin/env bash
# A campaign whose conductor is killed at random moments goes on inside of its
# stages: the same tables, and nothing that was done is done again.
# thorough: twenty runs of a campaign
# timeout: 600
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$root" && cd "${THRONG_BUILD:-build}" && pwd) || exit 1
folder=$(mktemp -d "${TMPDIR:-/tmp}/throng-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
export THRONG_RUNTIME_DIR=$folder/.run XDG_CACHE_HOME=$folder/.cache
cp -r "$root/examples/campaign" "$folder/whole" || exit 1
sed -i 's/max: 10}/max: 40}/' "$folder/whole/ensemble.yaml"
cp -r "$folder/whole" "$folder/killed" || exit 1
python3 "$root/tests/cli/campaign_kills.py" "$build/throng" "$folder" leaves 20 "${1:-1}"
