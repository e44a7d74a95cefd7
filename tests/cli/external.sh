#!/usr/bin/env bash
# method: external, a strategy that is a program of the person's own.
# thorough: many studies, each with a program beside it
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
finished() { "$THRONG" status "$1" --json >.out && json 'd["finished"]'; }
cat >study.yaml <<'END'
name: own
command: [throng, report, "loss={x}"]
method: external
external: {command: [python3, own.py], timeout: 60}
parallel: 2
run_cap: 6
metric: {name: loss}
parameters: {x: {min: 0, max: 99}}
END

# Notes down what it hears, answers each ask by what answer() says.
program() { # (its answer, a Python function body, on standard input)
    cat >own.py <<'END'
import json, sys, time, os
heard = open("heard", "a")
told = {}
def trials(m, f=lambda n: {"x": n}):
    return {"trials": [{"params": f(n)} for n in
                       range(m["first"], m["first"] + m["ask"])]}
END
    { echo 'def answer(m):'; sed 's/^/    /'; } >>own.py
    cat >>own.py <<'END'
for line in sys.stdin:
    heard.write(line); heard.flush()
    m = json.loads(line)
    if "tell" in m: told[m["tell"]] = m
    if "ask" in m or "report" in m:
        said = answer(m)
        print(said if isinstance(said, str) else json.dumps(said), flush=True)
END
    rm -f heard
}
hear() { python3 -c 'import json, sys
d = [json.loads(line) for line in open("heard")]
print(eval(sys.argv[1]))' "$1"; }

# ---- a study, and going on with it -----------------------------------------
program <<<'return trials(m)'
run "$THRONG" run study.yaml --count 4
check_status "a program of one's own decides" 0
check_equal "it hears of the study first" "1 ['x'] [{'name': 'loss', 'goal': 'minimize'}]" \
    "$(hear '"%s %s %s" % (d[0]["study"]["version"],
        [p["name"] for p in d[0]["study"]["space"]["parameters"]], d[0]["study"]["metrics"])')"
check_equal "it is asked for as many as there is room for" "2 0" \
    "$(hear '"%s %s" % (d[1]["ask"], d[1]["first"])')"
check_equal "and told each result once" "[(0, 0.0), (1, 1.0), (2, 2.0), (3, 3.0)]" \
    "$(hear 'sorted((m["tell"], m["value"]) for m in d if "tell" in m)')"
rm heard
run "$THRONG" run study.yaml
check_equal "the study goes on" "0 6" "$status $(finished own)"
check_equal "earlier results come before the first ask, with their points" \
    "[{'id': 0, 'params': {'x': 0}, 'value': 0.0}, {'id': 1, 'params': {'x': 1}, 'value': 1.0}, {'id': 2, 'params': {'x': 2}, 'value': 2.0}, {'id': 3, 'params': {'x': 3}, 'value': 3.0}]
['study', 'told', 'told', 'told', 'told', 'ask']" \
    "$(hear 'sorted((m["told"] for m in d if "told" in m), key=lambda t: t["id"])')
$(hear '[list(m)[0] for m in d[:6]]')"
check_equal "numbers go on" 4 "$(hear '[m["first"] for m in d if "ask" in m][0]')"
run "$THRONG" check study.yaml
check_contains "check says what decides" "$out" "external"

# ---- throng as throng's own program ----------------------------------------
cat >inner.yaml <<'END'
method: tpe
seed: 3
tpe: {startup: 4}
parameters: {x: {min: 0, max: 99}}
END
sed 's/name: own/name: inside/; s/command: .python3.*timeout/command: [throng, suggest, inner.yaml], timeout/; s/parallel: 2/parallel: 1/; s/run_cap: 6/run_cap: 20/' \
    study.yaml >inside.yaml
"$THRONG" run inside.yaml --count 7 >/dev/null 2>&1
run "$THRONG" run inside.yaml
check_status "throng suggest can be the program" 0
sed '/^external/d; s/method: external/method: tpe\ntpe: {startup: 4}\nseed: 3/; s/name: inside/name: plain/' inside.yaml >plain.yaml
"$THRONG" run plain.yaml --count 7 >/dev/null 2>&1
run "$THRONG" run plain.yaml
check_equal "and decides what the method itself would" \
    "$("$THRONG" export plain --csv | cut -d, -f1,4)" \
    "$("$THRONG" export inside --csv | cut -d, -f1,4)"

# ---- wait and end ----------------------------------------------------------
program <<'END'
n = len(told)
if m["first"] == 3: return {"trials": [], "end": True}
if m["first"] and n < m["first"]: return {"trials": [], "wait": True}
return {"trials": [{"id": m["first"], "params": {"x": m["first"]}}]}
END
run "$THRONG" run study.yaml --new waits
check_equal "it may wait for results, and end before run_cap" "0 3" \
    "$status $(finished waits)"
check_equal "one at a time, then" "[1, 2]" \
    "$(hear 'sorted({sum("tell" in x for x in d[:i]) for i, m in enumerate(d) if "ask" in m and m["first"]} - {0})')"

# ---- reports ---------------------------------------------------------------
sed 's/name: own/name: reports/; s/timeout: 60/timeout: 60, reports: true/; s/run_cap: 6/run_cap: 1/' study.yaml >reports.yaml
sed -i 's/^command.*/command: [sh, -c, "throng report loss=1 step=0; until throng report loss=1; test $? = 10; do sleep .05; done"]/' reports.yaml
program <<<'return {"decision": "stop"} if "report" in m else trials(m)'
run "$THRONG" run reports.yaml
"$THRONG" export reports --jsonl >.out
check_equal "what it answers to a report stops a trial" "stopped by the method" \
    "$(json 'd["state"] + " " + d["reason"]')"

# A trial that counts on from its checkpoint, to 6.
cat >count.sh <<'END'
at=$(cat "$THRONG_CHECKPOINT/at" 2>/dev/null || echo 0)
while [ "$at" -lt 6 ]; do
    at=$((at + 1))
    echo $at >"$THRONG_CHECKPOINT/at"
    echo "$THRONG_TRIAL $at" >>steps
    throng report loss=$at step=$at || exit 0
    while [ "$THRONG_TRIAL" = 1 ] && [ $at = 2 ] && [ ! -e paused ]; do
        throng report loss=$at step=$at || { touch paused; exit 0; }
        sleep 0.02
    done
done
END
sed 's/name: reports/name: pauses/; s/run_cap: 1/run_cap: 2/; s/parallel: 2/parallel: 1/
    s/^command.*/command: [sh, count.sh]/' reports.yaml >pauses.yaml
cat >pausing <<'END'
if "report" in m:
    return {"decision": "pause" if m["report"] == 0 and m["step"] == 2 else "continue"}
if m["first"] < 2: return trials(m)
return {"trials": [{"id": 0, "budget": 6}]}
END
program <pausing
run "$THRONG" run pauses.yaml
"$THRONG" export pauses --jsonl >.out
check_equal "a trial that it pauses frees its place, and goes on when it is named" \
    "0 1:1 1:2 2:1 2:2 2:3 2:4 2:5 2:6 1:3 1:4 1:5 1:6 " \
    "$status $(tr ' \n' ': ' <steps)"
check_equal "it is told as paused, then as done" "['paused', 'done', 'done']" \
    "$(hear '[m.get("state", "done") for m in d if "tell" in m]')"
check_equal "in a second attempt" "[('done', 2), ('done', 1)]" \
    "$("$THRONG" export pauses --jsonl | python3 -c 'import json, sys
print([(t["state"], t["attempts"]) for t in map(json.loads, sys.stdin)])')"

rm -f steps paused
program <<<'return {"decision": "pause"} if "report" in m and m["report"] == 0 and m["step"] == 2 else {"decision": "continue"} if "report" in m else trials(m)'
run "$THRONG" run pauses.yaml --new forgets --count 1
check_equal "it stays paused between runs" "['paused']" \
    "$("$THRONG" export forgets --jsonl | python3 -c 'import json, sys
print([t["state"] for t in map(json.loads, sys.stdin)])')"
program <pausing
run "$THRONG" run pauses.yaml --new forgets
check_equal "and can be taken up by a program that started anew" \
    "0 paused [('done', 2), ('done', 1)]" \
    "$status $(hear '[m["told"]["state"] for m in d if "told" in m][0]') $("$THRONG" export forgets --jsonl | python3 -c 'import json, sys
print([(t["state"], t["attempts"]) for t in map(json.loads, sys.stdin)])')"

# ---- programs that fail ----------------------------------------------------
fails() { # NAME TEXT (the program on standard input)
    program
    run "$THRONG" run study.yaml --new "$1"
    check_status "$1: the study ends with an error" 1
    check_contains "$1: which says why" "$err" "$2"
}
fails dies "exit code 3" <<<'if m["first"] < 2: return trials(m)
sys.stderr.write("out of ideas\n"); sys.exit(3)'
check_contains "with its last words" "$err" "out of ideas"
check_equal "what ran has finished and is kept" 2 "$(finished dies)"
program <<<'return trials(m)'
run "$THRONG" run study.yaml --new dies
check_equal "and the study goes on when the program is mended" "0 6" \
    "$status $(finished dies)"
fails killed "signal 9" <<<'os.kill(os.getpid(), 9)'
fails nonsense "gave an answer that is none: hello" <<<'return "hello"'
fails complains "no luck" <<<'return {"error": "no luck"}'
fails outside "gave a trial (0) that cannot be used" <<<'return trials(m, lambda n: {"x": 200})'
check_contains "naming the parameter" "$err" "x"
fails misnames "cannot be used" <<<'return trials(m, lambda n: {"z": 2})'
fails too-many "3 trials where 2 were" <<<'m["ask"] += 1; return trials(m)'
fails none "wait" <<<'return {"trials": []}'
fails idle "no trial is out" <<<'return {"trials": [], "wait": True}'
fails revives "no paused trial has its id" <<<'return {"trials": [{"id": 7}]}'
fails numbers "throng gives the numbers" <<<'return {"trials": [{"id": 7, "params": {"x": 1}}]}'
sed -i 's/timeout: 60/timeout: 0.5/' study.yaml
fails hangs "has not answered for 0.5 s" <<<'time.sleep(1000)'
sed 's/python3, own.py/no-such-program, x/' study.yaml >absent.yaml
run "$THRONG" run absent.yaml --new absent
check_status "a program that is not there is said before anything runs" 1
check_contains "by its name" "$err" "no-such-program"
check_equal "no program is left behind" "" "$(pgrep -f "$TMP/own.py")"

# ---- how long it may take ----------------------------------------------------
# A limit, which may change; earlier versions counted it.
program <<<'return trials(m)'
sed 's/^name: own/name: limit/; s/timeout: 0.5/timeout: 60/; s/run_cap: 6/run_cap: 2/' study.yaml >limit.yaml
run "$THRONG" run limit.yaml
sed -i 's/timeout: 60/timeout: 90/; s/run_cap: 2/run_cap: 3/' limit.yaml
run "$THRONG" run limit.yaml
check_status "another timeout is the same question" 0
sqlite3 .throng/limit/study.db "UPDATE facts SET text = replace(text,
    '\"method_options\":{', '\"method_options\":{\"timeout\":7,') WHERE key = 'identity'" VACUUM
check_contains "an earlier version's identity has it" \
    "$(sqlite3 .throng/limit/study.db "SELECT text FROM facts WHERE key = 'identity'")" '"timeout":7'
sed -i 's/run_cap: 3/run_cap: 4/' limit.yaml
run "$THRONG" run limit.yaml
check_status "also to one that an earlier version stored" 0
check_equal "and the study goes on" 4 "$(finished limit)"
sed -i 's/own.py/.\/own.py/' limit.yaml
run "$THRONG" run limit.yaml
check_status "another program is another question" 1

# ---- what it starts ----------------------------------------------------------
# A shell line whose last word is not the program: that is the shell's child.
program <<<'return trials(m)'
sed "s|command: \[python3, own.py\]|command: 'sleep 7531 \& echo \$! >child; python3 own.py; true'|
    s/^name: own/name: line/; s/timeout: 0.5/timeout: 60/" study.yaml >line.yaml
gone() { ! kill -0 "$(cat child)" 2>/dev/null; }
run "$THRONG" run line.yaml
check_status "a line for the shell is a program too" 0
check "what it started ends with it" wait_for 10 gone
rm child
program <<<'time.sleep(1000)'
"$THRONG" run line.yaml --new killed-line >/dev/null 2>&1 &
conductor=$!
check "one that hangs is there" wait_for 30 test -s child
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
first=$(cat child)
program <<<'return trials(m)'
sed 's/max: 99/max: 98/' line.yaml >changed.yaml
run "$THRONG" run changed.yaml --new killed-line
check_status "a run with another study file is refused" 1
run "$THRONG" run line.yaml --new killed-line
check_status "a study whose conductor was killed goes on" 0
check "and what its program had started is ended" \
    wait_for 10 sh -c "! kill -0 $first 2>/dev/null"

# ---- the file --------------------------------------------------------------
sed 's/timeout: 0.5/time: 5/' study.yaml >wrong.yaml
run "$THRONG" check wrong.yaml
check_contains "an option that there is not is named" "$err" "timeout"
run "$THRONG" suggest study.yaml
check_contains "suggest does not start it" "$err" "only \`throng run\` starts"
