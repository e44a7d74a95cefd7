#!/usr/bin/env bash
# Requests: each is applied exactly once or refused with the reason, whether or
# not somebody runs the study, and the exit status says which.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
requests=.throng/mine/requests

cat >study.yaml <<'END'
name: mine
command: [sh, -c, 'touch began; until test -e end; do sleep 0.05; done']
method: random
run_cap: 1
keep: all
parameters:
  x: {min: 0.0, max: 1.0}
  word: {values: [a, b]}
END

# ---- a running study -------------------------------------------------------
"$THRONG" run study.yaml >run.out 2>run.err &
pid=$!
wait_for 30 test -e began
python3 - <<'END'
with open("big.csv", "w") as f:
    f.write("x,word\n")
    for i in range(40000):
        f.write("%.17g,%s\n" % (i / 40001, "ab"[i % 2]))
END
run "$THRONG" add mine --file big.csv
check_status "a file whose points are over 1 MiB can be added" 0
check_contains "its trials have the numbers that are said" "$err" \
    "40000 new trials of mine wait: numbers 2 to 40001"
run "$THRONG" status mine --json
check_equal "and all of them are there" 40001 "$(json 'd["total"]')"
check_equal "nothing is left of the request" "" "$(find $requests -type f)"

# Somebody else's files: what `add` would refuse is refused here too.
put() { # NAME TEXT
    printf '%s' "$2" >$requests/.writing
    mv $requests/.writing "$requests/$1.json"
}
answer() { # NAME: what was answered
    wait_for 20 test -e "$requests/answers/$1.json" || return 1
    cat "$requests/answers/$1.json"
}
put 1 '{"verb":"add","asks":true,"args":{"points":[{"x":0.5,"word":"a"},{"x":0.5,"word":"$(touch pwned)"}]}}'
check_contains "a point in a request file is checked" "$(answer 1)" "point 2: word"
put 2 '{"verb":"add","asks":true,"args":{"points":[{"x":0.5}]}}'
check_contains "one that lacks a parameter is refused" "$(answer 2)" "word is missing"
put 3 '{"verb":"add","asks":true,"args":{"times":9000000000000000000,"points":[{"x":0.5,"word":"a"}]}}'
check_contains "so is a number of trials that never ends" "$(answer 3)" "1 to 1000000"
put 4 '{"verb":"tag","selector":"1","asks":true,"args":{"tag":"a b"}}'
check_contains "and a tag that no selector could name" "$(answer 4)" "a blank"
put 5 '{"verb":"dance","asks":true}'
check_contains "and a verb that there is not" "$(answer 5)" "no request \`dance\`"
put 6 '{"verb":'
check_contains "what cannot be read is answered too" "$(answer 6)" "could not be read"
put 7 '{"verb":"add","asks":true,"points":"beside","args":{}}'
check_contains "points beside a request must be there" "$(answer 7)" "no such file"
run "$THRONG" status mine --json
check_equal "none of these added a trial" 40001 "$(json 'd["total"]')"
run "$THRONG" tag mine 1 good
check_status "what is granted is no failure" 0
run "$THRONG" stop mine 40001
check_contains "a waiting trial is stopped" "$err" \
    "asked the study mine to stop trial 40001"
run "$THRONG" export mine --jsonl 40001
check_equal "and has ended when the verb ends" stopped "$(json 'd["state"]')"

# A conductor that is gone before it looks: the verb does it then.
kill -STOP $pid
"$THRONG" tag mine 2 late 2>late.err &
verb=$!
waits() { [ -n "$(find $requests -maxdepth 1 -name '[0-9][0-9]*.json')" ]; }
wait_for 20 waits
kill -9 $pid
wait $pid 2>/dev/null
wait $verb
check_equal "a verb whose conductor dies does not fail" 0 $?
run "$THRONG" export mine --jsonl tag:late
check_equal "it has done what it was told" 2 "$(json 'd["id"]')"
touch end
run "$THRONG" stop mine all
check_contains "with nobody there the verb ends trials itself" "$err" "trials ended"

# ---- many at once, and nobody runs the study --------------------------------
for i in $(seq 40); do
    (
        "$THRONG" add mine --outside "x=$((i + 100)),word=a" 2>"add.$i"
        echo $? >"status.$i"
    ) &
done
wait
check_equal "verbs at the same time do not refuse each other" 0 \
    "$(cat status.* | sort -u)"
run "$THRONG" export mine --jsonl
check_equal "and each is applied exactly once" True "$(json \
    'sorted(t["params"]["x"] for t in d if t["params"]["x"] > 100) == [float(i) for i in range(101, 141)]')"
check_equal "every one says its own number" 40 \
    "$(grep -ho 'number [0-9]*' add.* | sort -u | wc -l)"
check_equal "no request and no answer of theirs is left" "" \
    "$(find $requests -type f -name '[0-9][0-9]*')"

# ---- a study that begins at this moment -------------------------------------
# Until it is there, it is not; from then on points can be added.
touch end
early() { # ROUND
    until "$THRONG" add "begun$1" x=0.5,word=a 2>"early.$1"; do
        grep -q 'there is no study' "early.$1" || return 1
    done
}
for i in $(seq 8); do
    "$THRONG" run -q study.yaml --new "begun$i" 2>"begun.$i" &
    pid=$!
    early "$i"
    began=$?
    wait $pid
    ended=$?
    [ "$began $ended" = "0 0" ] || break
done
check_equal "a study is not seen before it is complete" "0 0" "$began $ended"
[ "$began $ended" = "0 0" ] || cat "early.$i" "begun.$i" | sed 's/^/# /'
run "$THRONG" run -q study.yaml --new begun1
run "$THRONG" export begun1 --jsonl
check_equal "what was added then is run" "done done" \
    "$(json '" ".join(t["state"] for t in d)')"

# ---- a run that begins while verbs hold the lease for a moment ----------------
words() {
    until test -e quiet; do
        "$THRONG" tag begun1 1 again 2>>words.err || return 1
    done
}
rm -f quiet
words &
one=$!
words &
two=$!
worst=0
for _ in $(seq 8); do
    "$THRONG" run -q study.yaml --new begun1 2>>runs.err || worst=$?
done
touch quiet
wait $one
first=$?
wait $two
check_equal "a run waits for a verb, and a verb for a run" "0 0 0" "$worst $first $?"
[ "$worst" = 0 ] || sed 's/^/# /' runs.err

# ---- a study of which only the folder is left ---------------------------------
mkdir -p .throng/gone/trials
run "$THRONG" status gone
check_lacks "a name is not suggested for itself" "$err" "did you mean \`gone\`"
check_contains "but it is said to be missing" "$err" "there is no study \`gone\`"
