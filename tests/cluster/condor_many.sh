#!/usr/bin/env bash
# 2,000 short trials on HTCondor, whose first job starts after seconds and 20
# jobs in a second at most: each once, and at 500 trials a second or more once
# jobs run; on a machine that is too busy for that, half as many as here in the
# same minute.
# timeout: 600
# alone
. "$(dirname "$0")/condor/lib.sh"

trials=${TRIALS:-2000}
for engine in local htcondor; do
    cat >"many_$engine.yaml" <<YAML
name: many_$engine
command: ["true"]
method: grid
parameters: {x: {distribution: int_uniform, min: 1, max: $trials}}
YAML
    run "$THRONG" run "many_$engine.yaml" --engine "$engine"
    check_status "it runs to its end on $engine" 0
done
check_equal "every trial is done" "$trials" "$(done_of many_htcondor)"
check_equal "each was begun once" "$trials" \
    "$(ask many_htcondor 'select count(*) from attempts where outcome != 12')"

# Trials by the time in which at least one ran: a pool that has not begun, and
# the wait between the pilot and the rest, are the scheduler's.
cat >rate.py <<'PY'
import sqlite3
import sys

rows = sqlite3.connect(
    f"file:.throng/{sys.argv[1]}/study.db?mode=ro", uri=True).execute(
        "select started, ended from attempts where outcome != 12"
        " order by started").fetchall()
busy, until = 0.0, rows[0][0]
for started, ended in rows:
    pause = started - until
    if pause < 1:            # the wait for the next trial is ours
        busy += max(ended, until) - until
    else:
        busy += ended - started
    until = max(until, ended)
print(f"{len(rows) / busy:.0f} {len(rows)} trials in {busy:.1f} s")
PY
python3 rate.py many_local >here.txt
python3 rate.py many_htcondor >there.txt
sed 's/^/# here: trials a second: /' here.txt
sed 's/^/# htcondor: trials a second: /' there.txt
here=$(cut -d' ' -f1 here.txt) there=$(cut -d' ' -f1 there.txt)
check "500 trials a second, or half as many as here: $there and $here" \
    test "$there" -ge 500 -o $((2 * there)) -ge "$here"
