#!/usr/bin/env bash
# throng suggest: the optimizer of another program.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'END'
method: tpe
seed: 5
metric: {name: loss}
tpe: {startup: 6}
parameters:
  x: {min: -5.0, max: 5.0}
  n: {min: 1, max: 9}
  opt: {parameters: {kind: {values: [a, b]}}}
END
suggest() { # [OPTIONS] (requests on standard input)
    "$THRONG" suggest study.yaml "$@" >"$TMP/.out" 2>"$TMP/.err"
    status=$?
    out=$(cat .out) err=$(cat .err)
}
line() { sed -n "$1p" <<<"$out"; }
# The value of a Python expression over the answers, a list.
look() { python3 -c 'import json, sys
d = [json.loads(line) for line in open(sys.argv[1])]
print(eval(sys.argv[2]))' .out "$1"; }

# ---- a conversation --------------------------------------------------------
suggest <<'END'
{"ask":2}
{"report":0,"step":1,"value":0.5}
{"tell":1,"value":0.31}
{"tell":0,"value":2}
{"best":5}
END
check_status "a conversation ends with its input" 0
check_equal "each request has one answer" 5 "$(wc -l <.out)"
check_equal "an ask gives so many trials, numbered from 0" "[0, 1]" \
    "$(look '[t["id"] for t in d[0]["trials"]]')"
check_equal "with all their parameters" "['n', 'opt', 'x'] ['kind']" \
    "$(look 'str(sorted(d[0]["trials"][0]["params"])) + " " + str(list(d[0]["trials"][0]["params"]["opt"]))')"
check_equal "a report goes on" '{"decision":"continue"}' "$(line 2)"
check_equal "telling out of order is fine" '{"ok":true}{"ok":true}' "$(line 3)$(line 4)"
check_equal "best comes first" "[(1, 0.31), (0, 2.0)]" \
    "$(look '[(t["id"], t["value"]) for t in d[4]["trials"]]')"
first=$(look 'd[0]')
suggest --seed 5 <<<'{"ask":2}'
check_equal "the seed decides" "$first" "$(look 'd[0]')"
suggest --seed 6 <<<'{"ask":2}'
check_not "another one gives other points" test "$first" = "$(look 'd[0]')"
suggest --method random <<<'{"ask":2}'
check_not "so does another method" test "$first" = "$(look 'd[0]')"
check_equal "which is not the file's, so its options are not used" 0 "$status"
suggest --method toe </dev/null
check_contains "a method that is none is refused" "$err" "did you mean tpe?"

# ---- each answer comes before the next request -----------------------------
coproc SUGGEST { "$THRONG" suggest study.yaml; }
suggester=$SUGGEST_PID # bash forgets its own name for it when it has ended
for i in 0 1 2; do
    echo '{"ask":1}' >&"${SUGGEST[1]}"
    read -r -t 60 answer <&"${SUGGEST[0]}"
    check_contains "request $i is answered at once" "$answer" "{\"id\":$i,"
done
eval "exec ${SUGGEST[1]}>&-"
wait "$suggester"
check_equal "and the end is the end" 0 $?

# ---- mistakes --------------------------------------------------------------
suggest <<'END'
{"ask":1}
nonsense

{"tell":0,"vale":3}
{"tell":7,"value":3}
{"tell":0,"values":[1,2]}
{"tell":0,"value":1,"constraints":[1]}
{"ask":0}
{"told":{"params":{"x":9,"n":1,"opt":{"kind":"a"}},"value":1}}
{"told":{"params":{"x":1,"n":1},"value":1}}
{"tell":0,"value":3}
{"tell":0,"value":3}
{"ask":1,"first":0}
{"study":{"version":2}}
END
check_status "mistakes do not end the conversation" 0
check_equal "a wrong line has its number, blank ones count and have no answer" \
    "[2, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]" \
    "$(look '[x["line"] for x in d if "error" in x]')"
check_equal "what was right was done" '{"ok": true}' "$(look 'json.dumps(d[9])')"
check_contains "a misspelt member is named" "$(line 3)" 'did you mean \"value\"?'
check_contains "a trial that is not there is named" "$(line 4)" "no trial 7"
check_contains "as many values as metrics" "$(line 5)" "1 metric, not 2 values"
check_contains "a value outside of the space is named" "$(line 8)" "x"
check_contains "a parameter that is missing too" "$(line 9)" "kind"
check_contains "a trial is told once" "$(line 11)" "told before"
head -c 17000000 /dev/zero | tr '\0' 'x' >long
printf '\n{"ask":1}\n' >>long
suggest <long
check_equal "a line that never ends is refused, the next one is heard" \
    "1 [0]" "$(look 'str(d[0]["line"]) + " " + str([t["id"] for t in d[1]["trials"]])')"
printf '{"ask":1}' | "$THRONG" suggest study.yaml >.out
check_equal "the last line needs no end" 1 "$(look 'len(d[0]["trials"])')"

# ---- going on --------------------------------------------------------------
python3 - "$THRONG" >went 2>&1 <<'END'
import json, subprocess, sys

def talk(lines):
    got = subprocess.run([sys.argv[1], "suggest", "study.yaml"], text=True,
                         input="".join(json.dumps(x) + "\n" for x in lines),
                         capture_output=True, check=True)
    return [json.loads(x) for x in got.stdout.splitlines()]

def loss(p):
    return (p["x"] - 1) ** 2 + p["n"] + (p["opt"]["kind"] == "a")

# One conversation of 30, request by request.
p = subprocess.Popen([sys.argv[1], "suggest", "study.yaml"], text=True,
                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def say(**x):
    p.stdin.write(json.dumps(x) + "\n"); p.stdin.flush()
    return json.loads(p.stdout.readline())
told = []
for i in range(30):
    t = say(ask=1)["trials"][0]
    value = loss(t["params"])
    assert say(tell=t["id"], value=value) == {"ok": True}
    told.append(dict(t, value=value))
after = say(ask=1)["trials"][0]
best = say(best=3)["trials"]
again = talk([{"told": t} for t in told] + [{"ask": 1}, {"best": 3}])
print("same", again[-2]["trials"] == [after], again[-1]["trials"] == best)
print("learns", best[0]["value"] < 2.5)
strange = talk([{"told": {"params": t["params"], "value": t["value"]}}
                for t in told] + [{"ask": 1}])
print("foreign", strange[-1]["trials"][0]["id"], all(x == {"ok": True} for x in strange[:-1]))
failed = talk([{"ask": 50}] + [{"tell": i, "state": "failed"} for i in range(25)] +
              [{"tell": i, "value": None} for i in range(25, 40)] +
              [{"tell": i, "value": "Infinity"} for i in range(40, 50)] + [{"ask": 5}, {"best": 50}])
print("failed", len(failed[-2]["trials"]), len(failed[-1]["trials"]))
END
check_equal "told results continue as if nothing had happened, methods learn, failures do not poison" \
    "same True True
learns True
foreign 0 True
failed 5 0" "$(cat went)"

# ---- ends, rules, several metrics ------------------------------------------
printf '%s\n' 'method: grid' 'parameters: {a: {values: [1, 2, 3]}}' >study.yaml
suggest <<<'{"ask":5}'
check_equal "a grid ends, and needs no metric" "3 True" \
    "$(look 'str(len(d[0]["trials"])) + " " + str(d[0]["end"])')"
cat >study.yaml <<'END'
method: random
metric: {name: acc, goal: maximize}
parameters: {a: {min: 0.0, max: 1.0}}
early_terminate: {type: patience, patience: 2}
END
suggest <<'END'
{"ask":2}
{"report":0,"value":0.5}
{"report":0,"value":0.4}
{"report":0,"value":0.4}
{"tell":0,"value":0.5,"state":"stopped"}
{"tell":1,"value":0.6}
{"best":1}
END
check_equal "early_terminate answers reports" \
    "['continue', 'continue', 'stop']" "$(look '[x["decision"] for x in d[1:4]]')"
check_equal "the goal counts" 1 "$(look 'd[6]["trials"][0]["id"]')"
cat >study.yaml <<'END'
method: random
metric: {name: loss}
parameters: {a: {min: 0.0, max: 1.0}}
early_terminate: {type: asha, min_iter: 1, max_iter: 4, eta: 2}
END
python3 - "$THRONG" >went 2>&1 <<'END'
import json, subprocess, sys
p = subprocess.Popen([sys.argv[1], "suggest", "study.yaml"], text=True,
                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def say(**x):
    p.stdin.write(json.dumps(x) + "\n"); p.stdin.flush()
    return json.loads(p.stdout.readline())
steps, ended, again = {}, 0, 0
for i in range(40):
    t = say(ask=1)["trials"][0]
    again += t["id"] in steps
    while True:
        steps[t["id"]] = steps.get(t["id"], 0) + 1
        d = say(report=t["id"], step=steps[t["id"]], value=t["params"]["a"])["decision"]
        if d == "continue" and steps[t["id"]] == 4:
            ended += 1
            assert say(tell=t["id"], value=t["params"]["a"]) == {"ok": True}
        elif d == "pause":
            assert steps[t["id"]] == t["budget"]
            assert say(tell=t["id"], value=t["params"]["a"], state="paused") == {"ok": True}
        elif d == "continue":
            continue
        break
print(again > 5, ended > 2, max(steps.values()))
END
check_equal "trials that pause come again with their number, the best of them to the end" \
    "True True 4" "$(cat went)"
cat >study.yaml <<'END'
method: random
metrics: [{name: loss}, {name: time}]
constraints: [{name: memory, max: 5}]
parameters: {a: {min: 0.0, max: 1.0}}
END
suggest <<'END'
{"ask":4}
{"tell":0,"values":[1,2],"constraints":[0.5]}
{"tell":1,"value":3}
{"tell":1,"values":[3,1],"constraints":[-1]}
{"tell":2,"values":[3.5,1.5],"constraints":[-1]}
{"tell":3,"values":[4,0],"constraints":[0]}
{"best":4}
END
check_contains "several metrics are told together" "$(line 3)" "2 metrics"
check_equal "the Pareto set comes first, what breaks a constraint last" \
    "[(1, [3.0, 1.0], True), (3, [4.0, 0.0], True), (2, [3.5, 1.5], True), (0, [1.0, 2.0], False)]" \
    "$(look '[(t["id"], t["values"], t.get("feasible", True)) for t in d[6]["trials"]]')"

# ---- orders ----------------------------------------------------------------
cat >study.yaml <<'END'
method: tpe
order: lag
lag: 2
metric: {name: loss}
parameters: {a: {min: 0.0, max: 1.0}}
END
suggest <<'END'
{"ask":4}
{"tell":1,"value":1}
{"ask":1}
{"tell":0,"value":2}
{"ask":4}
END
check_equal "an order holds suggestions back until their results have come" "[3, 0, 2]" \
    "$(look '[len(d[i]["trials"]) for i in (0, 2, 4)]')"

# ---- the same points on every processor --------------------------------------
cat >exact.yaml <<'END'
method: random
seed: 3
metric: {name: loss}
parameters:
  a: {distribution: log_uniform_values, min: 1.0e-5, max: 0.7}
  b: {distribution: log_uniform, min: -9.0, max: 1.3}
  c: {distribution: normal, mu: 1, sigma: 2.3}
  d: {distribution: beta, a: 0.7, b: 2.2}
  e: {distribution: log_normal, mu: 0.3, sigma: 1.1}
END
OTHER=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable
points() { echo '{"ask":5000}' | "$THRONG" suggest exact.yaml | sha256sum; }
check_equal "points do not depend on what the processor can do" "$(points)" \
    "$(GLIBC_TUNABLES=$OTHER points)"

# Values that have nothing to do with the points are as good as any.
for i in $(seq 0 80); do
    echo '{"ask":1}'
    echo "{\"tell\":$i,\"value\":$((i * 37 % 101)).5}"
done >talk
learned() { "$THRONG" suggest exact.yaml <talk | sha256sum; }
for method in tpe cmaes gp forest; do
    sed -i "s/^method: .*/method: $method/" exact.yaml
    check_equal "nor do those that $method learns" "$(learned)" \
        "$(GLIBC_TUNABLES=$OTHER learned)"
done
