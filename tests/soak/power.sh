#!/usr/bin/env bash
# The power is cut while studies run: nothing is lost that was on the disk.
# CUTS: how often; SEED: of the moments, to repeat a failure.
# timeout: 3600
. "$(dirname "$0")/../cli/lib.sh"

[ "$(id -u)" -eq 0 ] || skip_all "only root may mount"
command -v mkfs.ext4 >/dev/null || skip_all "there is no mkfs.ext4"
losetup -f >/dev/null 2>&1 || skip_all "there is no loop device"
trap - EXIT
python3 "$ROOT/tests/soak/power.py" "${CUTS:-36}" "${SEED:-}"
status=$?
grep " $TMP/" /proc/mounts | cut -d' ' -f2 | xargs -r umount -l
cd /
rm -rf "$TMP"
exit $status
