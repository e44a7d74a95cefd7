#!/usr/bin/env bash
# A network file system: who reads a running study gets a copy, and is told how
# old it is.
. "$(dirname "$0")/lib.sh"

export THRONG_ASSUME_NETWORK=1
json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
cat >study.yaml <<'END'
command: [sh, -c, 'echo "::throng loss=1"; touch began; until test -e end; do sleep 0.05; done']
metric: {name: loss}
points: [{x: 1}]
END
"$THRONG" run study.yaml >run.out 2>run.err &
pid=$!
wait_for 30 test -e began
copy=.throng/study/snapshot.db
given() { "$THRONG" status study --json >.out && test -e $copy; }
wait_for 30 given
made=$(stat -c %Y $copy)
check_equal "JSON says when the copy was made" "$made" "$(json 'int(d["as_of"])')"

# The conductor gives no new copy, and the last one grows old.
kill -STOP $pid
touch -d '-100 seconds' $copy
run "$THRONG" status study
check_status "an old copy is better than none" 0
check_matches "status says how old it is" "$err" '^throng: as of [0-9]+m [0-9]+s ago: '
run "$THRONG" ls
check_matches "ls does" "$out" 'running, as of [0-9]+m'
run "$THRONG" rank study --json
check_equal "and rank, for programs" "$(stat -c %Y $copy)" "$(json 'int(d["as_of"])')"
kill -CONT $pid
touch end
wait $pid
run "$THRONG" status study --json
check_equal "when nobody runs it what is read is current" False "$(json '"as_of" in d')"
check_lacks "and nothing is said" "$err" "as of"
