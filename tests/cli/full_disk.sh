#!/usr/bin/env bash
# What happens to a study while nothing can be written: a trial that ends then
# has the value of all that it reported, and what it said of itself.
. "$(dirname "$0")/lib.sh"

mkdir disk
mount -t tmpfs -o size=8m none disk 2>/dev/null ||
    skip_all "a small file system cannot be mounted here"
trap 'code=$?; cd /; umount -l "$TMP/disk"; (exit $code); finish' EXIT
cd disk || exit 1

# The second attempt reports before and after the disk was found to be full.
cat >"$TMP/task.sh" <<END
if [ \$THRONG_ATTEMPT = 1 ]; then
    throng report step=1 y=100
    touch \$THRONG_CHECKPOINT/c
    exit 1
fi
touch $TMP/second
while [ ! -e $TMP/full ]; do sleep 0.1; done
throng report step=2 y=50
while ! grep -q full $TMP/said; do sleep 0.1; done
for word in one two; do
    echo '{"throng":{"values":{"'\$word'":1}}}' >>\$THRONG_METRICS
done
throng report step=3 y=1 && touch $TMP/reported
END
cat >s.yaml <<END
method: grid
command: sh $TMP/task.sh
parameters: {a: {values: [1]}}
metric: {name: y}
retries: 1
retry_delay: 0
END
"$THRONG" run s.yaml >/dev/null 2>"$TMP/said" &
pid=$!
check "a second attempt begins" wait_for 60 test -e "$TMP/second"
cat /dev/zero >ballast 2>/dev/null
touch "$TMP/full"
check "and reports on a full disk" wait_for 60 test -e "$TMP/reported"
sleep 2 # so that its end is heard while nothing can be written
rm -f ballast
wait $pid
check_equal "its trial is done with the last value" "0 1.0" \
    "$? $("$THRONG" rank s --json | python3 -c '
import json, sys
print(*(t["value"] for t in json.load(sys.stdin)["trials"]))')"
run "$THRONG" show s 1
check_matches "and with the first it said of itself" "$out" 'one +1'
check_matches "and the last" "$out" 'two +1'
