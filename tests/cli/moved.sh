#!/usr/bin/env bash
# The study's folder, or one around it, is moved away under a run and moved
# back: no trial fails for it, none is done twice, nothing is made at the old
# place, and what the run says to type is what helps.
. "$(dirname "$0")/lib.sh"

pid=
trap 'code=$?; [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null;
    (exit $code); finish' EXIT

mkdir project state
# The first two trials end at once; others wait for a word, and write a file
# into the folder that they were given.
cat >project/s.yaml <<END
command:
  - sh
  - -c
  - 'n=\$THRONG_TRIAL; echo \$n >>$TMP/state/starts;
     while [ \$n -gt 2 ] && [ ! -e $TMP/state/go ]; do sleep 0.05; done;
     (echo \$n >"\$THRONG_OUTPUT/number") || exit 3;
     echo "::throng y=\$n"; echo \$n >>$TMP/state/ends'
points: [{a: 1}, {a: 2}, {a: 3}, {a: 4}, {a: 5}, {a: 6}, {a: 7}]
metric: {name: y}
parallel: 3
retries: 0
END
db=project/.throng/s/study.db
lines() { [ "$(wc -l <"$1" 2>/dev/null || echo 0)" -ge "$2" ]; }
two_done() {
    [ "$(sqlite3 $db 'select count(*) from trials where state >= 3' \
        2>/dev/null)" = 2 ]
}
begin() {
    rm -rf project/.throng elsewhere state/*
    (cd project && exec "$THRONG" run s.yaml) >out 2>said &
    pid=$!
    wait_for 60 lines state/starts 5
    wait_for 60 two_done
}
ended() { # NAME: the run ends by itself
    wait "$pid"
    check_equal "$1: the run ends with an error" 1 $?
    pid=
}
advice() { # the first command that it says
    tr '\n' ' ' <said | sed -n 's/[^`]*`\([^`]*\)`.*/\1/p'
}
goes_on() { # NAME: all trials end well, each once
    run env -C project "$THRONG" run s.yaml
    check_status "$1: the next run goes on" 0
    check_equal "$1: every trial is done" \
        "1=1.0 2=2.0 3=3.0 4=4.0 5=5.0 6=6.0 7=7.0 " \
        "$(sqlite3 -separator = $db 'select id, value from trials
            where state = 3' | tr '\n' ' ')"
    check_equal "$1: none was charged with a failure" 0 "$(sqlite3 $db \
        'select sum(failures) from trials')"
    check_equal "$1: all that they wrote is in one place" 7 "$(
        find . -name number -path '*/project/.throng/s/trials/*' | wc -l)"
    check_equal "$1: and nothing lies elsewhere" "" "$(find . -name study.db \
        ! -path ./$db; find . -name '*.made-since' -o -name elsewhere)"
}

# What is moved, from where, to where.
for way in "project:project:elsewhere" \
    ".throng:project/.throng:project/elsewhere" \
    ".throng/NAME:project/.throng/s:elsewhere"; do
    IFS=: read -r what from to <<<"$way"
    begin
    mv "$from" "$to"
    touch state/go
    ended "$what"
    check_not "$what: nothing is made at the old place" test -e "$from"
    check_contains "$what: it names the old place" "$(cat said)" \
        "$TMP/$from"
    check_contains "$what: and the new one" "$(cat said)" "to $TMP/$to"
    check_equal "$what: it says what to type" "mv -T $TMP/$to $TMP/$from" \
        "$(advice)"
    eval "$(advice)"
    goes_on "$what"
    check_equal "$what: each ended once" "$(seq 7)" "$(sort -n state/ends)"
done

# A task makes its folder anew, with all that is above it.
sed -i 's/(echo/mkdir -p "$THRONG_OUTPUT"; &/' project/s.yaml
begin
mv project/.throng elsewhere
touch state/go
ended "a task makes folders"
check "the old place is there again" test -d project/.throng/s
eval "$(advice)"
check_equal "what it says to type keeps what was made there" 1 \
    "$(find project -name '*.made-since' | wc -l)"
find project -name '*.made-since' -prune -exec rm -rf {} +
rm elsewhere/.gitignore
rmdir elsewhere
goes_on "a task makes folders"

# The study goes on where it is, too.
sed -i 's/mkdir -p "$THRONG_OUTPUT"; //' project/s.yaml
begin
mv project elsewhere
touch state/go
ended "left there"
there=$(tr '\n' ' ' <said | sed -n 's/.*`cd \([^`]*\)`.*/\1/p')
run env -C "$there" "$THRONG" run s.yaml
check_status "left where it is, it goes on there" 0
check_equal "to the end" 7 "$(sqlite3 elsewhere/.throng/s/study.db \
    'select count(*) from trials where state = 3')"
check_equal "and each trial ended once" "$(seq 7)" "$(sort -n state/ends)"
mv elsewhere project

# ---- built-in training: no process of its own, and weights at the end -------

cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} project
sed -i 's/^epochs:.*/epochs: 200000/' project/mlp.yaml
cat >project/s.yaml <<END
model: mlp.yaml
metric: {name: val_loss}
parameters: {lr: {values: [0.001, 0.002]}, units: {value: 8}}
retries: 0
END
reported() {
    [ "$("$THRONG" export project/.throng/s --jsonl | grep -c val_loss)" = 2 ]
}
rm -rf project/.throng
(cd project && exec "$THRONG" run s.yaml) >out 2>said &
pid=$!
check "training: both trials report" wait_for 60 reported
mv project/.throng elsewhere
ended "training"
check_not "training: nothing is made at the old place" test -e project/.throng
eval "$(advice)"
check_equal "training: none has failed" "" "$(sqlite3 $db \
    "select id, state, reason from trials where state >= 3")"
