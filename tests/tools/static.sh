#!/usr/bin/env bash
# -Dstatic=true: throng and its worker run a study, and train, in a root that has
# nothing but them, /proc and a /dev/null.
# timeout: 1800
# thorough: builds throng once more
. "$(dirname "$0")/../cli/lib.sh"

static=${STATIC_BUILD:-$TMP/static} # one that is built already will do
if [[ ! -x $static/throng ]]; then
    run meson setup "$static" "$ROOT" -Dstatic=true
    check_status 'it is set up' 0
    run ninja -C "$static" throng
    check_status 'it is built' 0
fi
# It loads no NVML: another program does.
printf '%s\n' '#!/bin/sh' \
    'test "$*" = --gpus && echo GPU-1 9.0 150000000000 0 NVIDIA H200' >worker-cuda
chmod +x worker-cuda
run env THRONG_WORKER="$TMP/worker" "$static/throng" doctor
check_matches 'throng-worker-cuda lists the GPUs' "$out" \
    '^ok +gpus +1, first: NVIDIA H200$'

mkdir -p root/proc root/tmp root/dev
: >root/dev/null # a file will do
unset THRONG_RUNTIME_DIR XDG_CACHE_HOME
cp "$static"/throng "$WORKER" root/ # which always is one
cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} root/
sed 's/^run_cap:.*/run_cap: 3/' "$ROOT/examples/digits/search.yaml" \
    >root/search.yaml
within=(chroot root)
((EUID == 0)) || within=(unshare --user --map-root-user chroot root)
"${within[@]}" /throng version >/dev/null 2>&1 ||
    skip_all 'needs root or user namespaces for a chroot'
mount -t proc none root/proc 2>/dev/null ||
    skip_all 'needs the right to mount /proc'
trap 'code=$?; umount -l "$TMP/root/proc"; (exit $code); finish' EXIT

run "${within[@]}" /throng run /search.yaml
check_status 'a study runs in an empty root' 0
run "${within[@]}" /throng status digits --json
check_status 'its state can be asked for' 0
check_contains 'all trials are done' "$out" '"done":3'
run "${within[@]}" /throng doctor
check_contains 'doctor finds the worker' "$out" '/throng-worker'
run "${within[@]}" /throng plot history digits -o h.svg
check_status 'a figure needs no library' 0
run "${within[@]}" /throng plot history digits -o h.png
check_contains 'one that needs a library says so' "$err" 'cairo'
