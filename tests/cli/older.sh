#!/usr/bin/env bash
# Studies that an earlier version of throng began: they open, rank and go on.
#
# older/2026-11.tar.gz holds three, as throng left them in November 2026 (store
# schema 8), with their study files: `finished`; `half`, whose conductor and
# worker were killed; `trained`, interrupted while some trials waited at a rung.
. "$(dirname "$0")/lib.sh"

tar xzf "$ROOT/tests/cli/older/2026-11.tar.gz" --no-same-owner
cd older || exit 1

look() { # STUDY EXPRESSION over the list of trials d
    "$THRONG" export "$1" --jsonl >"$TMP/.table"
    python3 -S "$ROOT/tests/cli/json_look.py" "$2" "$TMP/.table"
}

# ---- one that is finished ------------------------------------------------------
run "$THRONG" rank finished -n 3
check_status "a finished study of an earlier version ranks" 0
check_equal "as it did then" "22 24 19" \
    "$(echo $(cut -f 2 <<<"$out" | tail -n +2))"
run "$THRONG" doctor finished --replay
check_status "its method suggests the same again" 0
run "$THRONG" show finished 3
check_contains "notes are there" "$out" "looked at by hand"
check_equal "and tags" 2 \
    "$("$THRONG" export finished tag:good --jsonl | wc -l)"
run "$THRONG" run finished.yaml
check_contains "nothing is left to do" "$err" "nothing was left to do"
sed -i 's/run_cap: 24/run_cap: 30/' finished.yaml
run "$THRONG" run finished.yaml
check_equal "a larger run_cap extends it" "29 1" \
    "$(look finished '"%d %d" % (sum(t["state"] == "done" for t in d), sum(t["state"] == "failed" for t in d))')"
run "$THRONG" doctor finished --replay
check_status "by what the method would have suggested then" 0

# ---- one whose conductor was killed --------------------------------------------
run "$THRONG" status half
check_contains "a killed study says that it goes on" "$out" "goes on"
run "$THRONG" run half.yaml --take-over
check_status "and does" 0
check_equal "every trial has ended" 20 \
    "$(look half 'sum(t["state"] in ("done", "stopped") for t in d)')"
check_equal "those that were begun ended well" 6 \
    "$(look half 'sum(t["state"] in ("done", "stopped") for t in d if t["id"] <= 6)')"
check_equal "and report no step twice" "" \
    "$("$THRONG" export half --history --jsonl | python3 -c '
import json, sys
seen = set()
for line in sys.stdin:
    point = json.loads(line)
    key = point["trial"], point["metric"], point["step"]
    if key in seen:
        print(key)
    seen.add(key)')"
run "$THRONG" doctor half --replay
check_status "its method suggests the same again" 0

# ---- built-in training, with paused trials -------------------------------------
run "$THRONG" run trained.yaml
check_status "an interrupted training goes on" 0
check_equal "to its end" 12 \
    "$(look trained 'sum(t["state"] in ("done", "stopped") for t in d)')"
check_equal "from where the paused ones stood" 1 \
    "$("$THRONG" export trained 1 --history --jsonl | grep -c 0.020451225051653685)"
check "one was trained to its last rung" \
    test "$(look trained 'sum(t["state"] == "done" for t in d)')" -ge 1
run "$THRONG" rank trained -n 1
check_status "and ranks" 0
