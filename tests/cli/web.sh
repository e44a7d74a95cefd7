# `throng web`: who is let in, what is answered, what is new, what may be changed.
. "$(dirname "$0")/lib.sh"

page=$ROOT/docs/reference/web-api.md

# The files that the page shows.
python3 - "$page" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
for name, body in re.findall(r"```\w+ file=(\S+)\n(.*?)^```$", text,
                             re.MULTILINE | re.DOTALL):
    open(name, "w").write(body)
PY
"$THRONG" run study.yaml >/dev/null 2>&1

serve() { # OPTIONS...: starts one; its address is in $address
    rm -f "$TMP/address"
    "$THRONG" web --port 0 "$@" >"$TMP/address" 2>"$TMP/web.err" &
    server=$!
    wait_for 30 test -s "$TMP/address"
    address=$(cat "$TMP/address")
}
ask() { # METHOD PATH [HEADER...]
    run python3 "$ROOT/tests/cli/web_client.py" ask "$address" "$@"
}
api=/api/v1/studies

# Who says a request letter by letter is waited for only so long; looked at in
# the end, by when that has passed.
serve
slow_server=$server
python3 - "$address" >"$TMP/slow" 2>&1 <<'PY' &
import socket, sys, time, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
s = socket.create_connection((url.hostname, url.port))
began, got = time.monotonic(), b""
s.settimeout(0.5)
head = b"GET /api/v1/studies HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: "
s.sendall(head)
while not got.endswith(b"}\n") and time.monotonic() - began < 300:
    try:
        s.sendall(b"a")
        more = s.recv(65536)
        if not more:
            break
        got += more
    except socket.timeout:
        pass
    except OSError:
        break
print(got.decode().split("\r\n")[0], got.decode().split("\r\n\r\n")[-1].strip(),
      "too soon" if time.monotonic() - began < 14 else "in time")
PY
slow_client=$!
serve
check_contains "it prints an address of this machine" "$address" \
    "http://127.0.0.1:"
check_contains "it says that it changes nothing" "$(cat "$TMP/web.err")" \
    "changes nothing"

# ---- what the page says ----------------------------------------------------------

run python3 "$ROOT/tests/cli/web_client.py" replay "$address" "$page"
check_status "it answers as the page says" 0

ask GET "$api/rates/rank?limit=0"
run_rank=$("$THRONG" rank rates -n 0 --json)
check_equal "rank is the verb's" "200
$run_rank" "$out"
# Of each two that gain the same, one costs less: half of them are best.
cat >ends.yaml <<'YAML'
name: ends
command: ["sh", "-c", "echo ::throng gain={x} cost=$(({x} + {y}))"]
metrics: [{name: gain, goal: maximize}, {name: cost, goal: minimize}]
parameters: {x: {values: [1, 2, 3, 4]}, y: {values: [0, 1]}}
method: grid
YAML
"$THRONG" run ends.yaml >/dev/null 2>&1
ranked() { # QUERY: how many trials, and how many of the Pareto set
    ask GET "$api/ends/rank?$1"
    tail -n 1 <<<"$out" | python3 -c 'import json, sys
t = json.load(sys.stdin)["trials"]
print(len(t), sum(r["front"] == 1 for r in t))'
}
check_equal "a limit cuts the Pareto set" "2 2" "$(ranked limit=2)"
check_equal "but not where all of it is asked for" "4 4" "$(ranked 'limit=2&front=1')"
check_equal "and behind it comes what is left of the limit" "6 4" \
    "$(ranked 'limit=6&front=1')"
ask GET "$api/rates"
check_equal "status is the verb's" "200
$("$THRONG" status rates --json)" "$out"
ask GET "$api/rates/trials/2"
check_equal "a trial is the verb's" "200
$("$THRONG" show rates 2 --json)" "$out"

cat >"$TMP/columns.py" <<'PY'
"""columns.py ADDRESS STUDY NAME...: columns of its trials"""
import json, os, struct, sys
sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/cli"))
from web_client import request
answer, body = request(sys.argv[1], "GET",
                       "/api/v1/studies/%s/columns" % sys.argv[2])
size = struct.unpack("<I", body[:4])[0]
head, data = json.loads(body[4:4 + size]), body[4 + size:]
assert (4 + size) % 8 == 0
kinds = {"f64": "d", "f32": "f", "u32": "I", "text8": "B", "text32": "I"}
columns = {}
for c in head["columns"]:
    assert c["offset"] % 8 == 0
    values = struct.unpack_from("<%d%s" % (head["count"], kinds[c["type"]]),
                                data, c["offset"])
    if "texts" in c:
        values = [c["texts"][v - 1] if v else None for v in values]
    columns[c["name"]] = list(values)
print(*(columns[name] for name in sys.argv[3:]))
PY
run python3 "$TMP/columns.py" "$address" rates trial state lr opt
check_equal "columns are all trials" \
    "[1, 2, 3, 4, 5, 6] ['done', 'done', 'failed', 'done', 'done', 'failed'] [0.1, 0.2, 0.3, 0.1, 0.2, 0.3] ['sgd', 'adam', 'sgd', 'adam', 'sgd', 'adam']" \
    "$out"
python3 - "$address" <<'PY' >"$TMP/match" 2>&1
import os, struct, sys
sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests/cli"))
from web_client import request
answer, body = request(sys.argv[1], "GET",
                       "/api/v1/studies/rates/match?where=lr%3C0.3")
made, revision, rows, count = struct.unpack("<4I", body[:16])
print(rows, count, bin(body[16]))
PY
check_contains "a filter has its rows" "$(cat "$TMP/match")" "6 4 0b11011"

# ---- who is let in ------------------------------------------------------------------

ask GET $api "X-Throng-Token: -"
check_contains "without a token nothing is told" "$out" 401
check_lacks "not even a name" "$out" rates
ask GET $api "X-Throng-Token: 00000000000000000000000000000000"
check_contains "nor with a wrong one" "$out" 401
ask GET $api "Host: evil.example"
check_contains "nor by another name" "$out" 421
ask GET $api "Origin: http://evil.example"
check_contains "nor to another page" "$out" 403
ask GET / "X-Throng-Token: -"
check_contains "the page itself has no secrets" "$out" 200

# ---- bad requests ---------------------------------------------------------------------

ask GET "$api/..%2f..%2fetc/about"
check_contains "no name leads out" "$out" 404
ask GET "$api/rates/trials/1/file?path=../../../study.db"
check_contains "no file name leads out" "$out" 404
mkdir -p .throng/rates/trials/0/1
ln -s /etc/passwd .throng/rates/trials/0/1/link
ask GET "$api/rates/trials/1/file?path=link"
check_contains "nor does a link" "$out" 404
ask GET "$api/rates/trials/99"
check_contains "a trial that is not there" "$out" 404
ask GET "$api/rates/rank?where=lr%3E%3E1"
check_contains "a filter that is none" "$out" 400
ask GET "$api/rates/rank?by=lss"
check_contains "a name that nobody has" "$out" loss
ask GET "$api/rates/table?rows=0"
check_contains "a number out of bounds" "$out" "from 1 to 1000"
ask GET "$api/rates/rank?by=%"
check_contains "an escape that is none" "$out" 400
ask GET /api/v2/studies
check_contains "another version" "$out" 404
ask DELETE $api
check_contains "another method" "$out" 405
ask POST "$api/rates/act" --body '{"verb":"kill"}'
check_contains "no change unless it was told that it may" "$out" 403
python3 - "$address" <<'PY' >"$TMP/noise" 2>&1
import os, random, socket, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
random.seed(1)
for i in range(200):
    s = socket.create_connection((url.hostname, url.port))
    s.settimeout(30)
    s.sendall(random.choice([b"", b"GET / HTTP/1.1\r\n", b"POST /x "])
              + random.randbytes(random.randrange(300)))
    if i % 2:
        s.shutdown(socket.SHUT_WR)
        while s.recv(4096):
            pass
    s.close()
print("done")
PY
check_equal "noise is answered" done "$(cat "$TMP/noise")"
ask GET $api
check_contains "and stops nothing" "$out" rates

# ---- news ---------------------------------------------------------------------------------

cat >slow.yaml <<'YAML'
name: slow
command: ["sh", "-c", "while [ ! -e go ]; do sleep 0.05; done; echo ::throng loss=1"]
metric: {name: loss, goal: minimize}
parameters: {x: {values: [1, 2, 3]}}
method: grid
YAML
"$THRONG" run slow.yaml >/dev/null 2>&1 &
study=$!
wait_for 60 test -s .throng/slow/study.db
python3 - "$address" >"$TMP/news" 2>&1 <<'PY' &
import http.client, json, re, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
token = re.search(r"token=(\w+)", url.fragment).group(1)
c = http.client.HTTPConnection(url.hostname, url.port, timeout=120)
c.request("GET", "/api/v1/studies/slow/events", headers={"X-Throng-Token": token})
answer, seen = c.getresponse(), set()
while True:
    line = answer.readline().decode()
    if not line.startswith("data: "):
        continue
    news = json.loads(line[6:])
    if not seen:
        open("go", "w").close()
    seen |= {row[2] for row in news.get("changed") or []}
    seen.add("first")
    if news["states"]["done"] == 3 and not news["running"]:
        break
print(sorted(seen), news["best"], news["rows"])
PY
listener=$!
wait $study $listener
check_equal "who listens hears how it ends" \
    "['done', 'first'] {'id': 1, 'value': 1.0} 3" \
    "$(sed "s/, 'running'//; s/, 'waiting'//" "$TMP/news")"

# ---- very many that listen ------------------------------------------------------------------

cat >busy.yaml <<'YAML'
name: busy
command: "true"
parameters: {x: {min: 0.0, max: 1.0}}
method: random
YAML
"$THRONG" run busy.yaml >/dev/null 2>&1 &
study=$!
wait_for 60 test -s .throng/busy/study.db
python3 - "$address" >"$TMP/many" 2>&1 <<'PY'
import re, selectors, socket, sys, time, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
token = re.search(r"token=(\w+)", url.fragment).group(1)
MANY, AT_ONCE = 100, 200
all_of_them, heard = selectors.DefaultSelector(), {}
for i in range(MANY):
    s = socket.create_connection((url.hostname, url.port))
    s.sendall(("GET /api/v1/studies/busy/events HTTP/1.1\r\nHost: %s\r\n"
               "X-Throng-Token: %s\r\n\r\n" % (url.netloc, token)).encode())
    s.setblocking(False)
    all_of_them.register(s, selectors.EVENT_READ)
    heard[s] = 0

def listen(wait):
    ready = all_of_them.select(wait)
    for key, _ in ready:
        try:
            text = key.fileobj.recv(1 << 20)
        except BlockingIOError:
            continue
        if not text:
            sys.exit("a listener was let go of")
        heard[key.fileobj] += text.count(b"event: ")
    return ready

deadline = time.monotonic() + 120
while min(heard.values()) < 1 and time.monotonic() < deadline:
    listen(1)
# What is counted was sent since `began`: what was sent before is read first.
began = time.monotonic()
while listen(0):
    pass
for s in heard:
    heard[s] = 0
while time.monotonic() < deadline and (min(heard.values()) < 3 or time.monotonic() < began + 3):
    listen(1)
passed, events = time.monotonic() - began, sum(heard.values())
print("all hear" if min(heard.values()) >= 3 else "some hear nothing",
      "within their share" if events <= AT_ONCE * passed + MANY
      else "%d events in %g s" % (events, passed))
PY
check_equal "a hundred that listen share 200 events a second" \
    "all hear within their share" "$(cat "$TMP/many")"

# One that comes does not make others hear more often.
python3 - "$address" >"$TMP/come" 2>&1 <<'PY'
import re, socket, sys, threading, time, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
token = re.search(r"token=(\w+)", url.fragment).group(1)

def come():
    s = socket.create_connection((url.hostname, url.port))
    s.sendall(("GET /api/v1/studies/busy/events HTTP/1.1\r\nHost: %s\r\n"
               "X-Throng-Token: %s\r\n\r\n" % (url.netloc, token)).encode())
    s.settimeout(60)
    return s

def hear(s):
    text = b""
    while b"event: " not in text:
        text += s.recv(1 << 20)

stays = come()
hear(stays)
began, events, comings = time.monotonic(), 0, 0
while comings < 40 or time.monotonic() < began + 1:
    s = come()
    hear(s)
    s.close()
    comings += 1
passed = time.monotonic() - began
stays.setblocking(False)
try:
    while True:
        text = stays.recv(1 << 20)
        if not text:
            break
        events += text.count(b"event: ")
except BlockingIOError:
    pass
print("as before" if events <= 10 * passed + 2 else "%d events in %g s" % (events, passed))
PY
check_equal "who comes is told, and the others hear no more often" "as before" \
    "$(cat "$TMP/come")"
kill -INT $study
wait $study

# ---- those that come later, and a study that goes ------------------------------------------

mkdir -p .throng && cp -r .throng/rates .throng/other
cat >"$TMP/listen.py" <<'PY'
"""Prints the kinds of events that come, until `WANTED` was among them."""
import http.client, json, re, sys, urllib.parse
url, study, since, wanted = urllib.parse.urlsplit(sys.argv[1]), *sys.argv[2:]
token = re.search(r"token=(\w+)", url.fragment).group(1)
c = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
c.request("GET", "/api/v1/studies/%s/events?since=%s" % (study, since),
          headers={"X-Throng-Token": token})
answer = c.getresponse()
while True:
    line = answer.readline().decode().strip()
    if line.startswith("event: "):
        print(line[7:], flush=True)
        if line[7:] == wanted:
            break
    elif line.startswith("data: ") and line != "data: {}":
        data = json.loads(line[6:])
        print(data["rows"], data["finished"], flush=True)
        if wanted == "data":
            break
PY
for i in 1 2; do
    run python3 "$TMP/listen.py" "$address" other 1-1 data
    check_equal "listener $i that has everything hears how it stands" "change
6 6" "$out"
done
python3 "$TMP/listen.py" "$address" other 1-1 gone >"$TMP/gone" &
listener=$!
wait_for 30 test -s "$TMP/gone"
rm -r .throng/other
wait $listener
check_equal "who looks at a study that is removed is told" 0 $?
ask GET "$api/other/about"
check_contains "and whoever asks for it" "$out" "was removed"
cp -r .throng/rates .throng/other
"$THRONG" rm other 6 >/dev/null 2>&1 || true
run python3 "$TMP/listen.py" "$address" other 1-1 data
check_contains "one of the same name is another" "$out" reset
# Nothing but the columns is asked for, so that they are what finds it.
rm -r .throng/other
sed 's/^name: .*/name: other/; s/0.1, 0.2, 0.3/0.1/' study.yaml >other.yaml
"$THRONG" run other.yaml >/dev/null 2>&1
columns_are() {
    [ "$(python3 "$TMP/columns.py" "$address" other trial)" = "$1" ]
}
check "and so are its columns" wait_for 30 columns_are "[1, 2]"
rm -r .throng/other

kill $server
wait $server
check_equal "it ends when it is asked to" 0 $?

export THRONG_GPUS=a100:8.0:40G THRONG_GPUS_USE=$TMP/on-gpus
printf '0 4242 1000\n0 busy 40\n' >"$THRONG_GPUS_USE"
serve
ask GET /api/v1/machine
check_contains "described GPUs are those of the machine" "$out" a100
check_contains "with what is on them, and how busy they are" "$out" \
    '"used_bytes":1000,"processes":1,"busy":0.4'
check_contains "now and before" "$out" '"gpus":[[1000.0]],"gpus_busy":[[0.4]]'
kill $server
unset THRONG_GPUS THRONG_GPUS_USE

# ---- changes -----------------------------------------------------------------------------------

serve --control
wait_for 30 grep -q 'Ctrl-C' "$TMP/web.err"
check_contains "what the address lets people do is said" \
    "$(cat "$TMP/web.err")" "whoever has this address can do both"
run python3 "$ROOT/tests/cli/web_client.py" replay "$address" "$page" control
check_status "changes are answered as the page says" 0
check_contains "and are made" "$("$THRONG" show rates best:1)" keep
ask POST "$api/rates/act" --body '{"verb":"note","trials":"2","note":"--json; rm -rf /"}'
check_contains "a text is a text" "$("$THRONG" show rates 2)" "--json; rm -rf /"
ask POST "$api/rates/act" --body '{"verb":"rm","trials":"2"}'
check_contains "a verb that is not for it" "$out" 400
ask POST "$api/rates/act" --body '{"verb":"tag","trials":"--help","tag":"x"}'
check_contains "an option is no selector" "$out" 400
ask POST "$api/rates/act" --body 'not json'
check_contains "a body that is none" "$out" 400
ask POST "$api/rates/act" --body '{"verb":"retry","trials":"77"}'
check_contains "what the verb refuses is refused" "$out" 409
kill $server

# ---- other ways to listen -----------------------------------------------------------------------

"$THRONG" web --socket "$TMP/here.sock" >"$TMP/address" 2>&1 &
server=$!
wait_for 30 test -S "$TMP/here.sock"
check_equal "a socket is its owner's alone" srw------- \
    "$(stat -c %A "$TMP/here.sock")"
run "$THRONG" web --socket "$TMP/here.sock"
check_contains "and is not taken from who has it" "$err" "another server"
kill -9 $server
wait $server 2>/dev/null || true
"$THRONG" web --socket "$TMP/here.sock" >"$TMP/again" 2>&1 &
server=$!
check "one that a killed server left is taken" wait_for 30 grep -q token "$TMP/again"
kill $server
wait $server
check_not "it is gone in the end" test -e "$TMP/here.sock"
serve --base /node/a/1
ask GET /node/a/1/api/v1/studies
check_contains "a path that a proxy leaves in front" "$out" rates
kill $server
run "$THRONG" web --address localhost
check_contains "an address is a number" "$err" 127.0.0.1
run "$THRONG" web --frame-ancestor "'self'; script-src *"
check_status "an origin is one" 2

wait $slow_client
check_equal "who says a request letter by letter is let go of, with the reason" \
    'HTTP/1.1 408 Request Timeout {"error":{"status":408,"text":"the request took too long to come"}} in time' \
    "$(cat "$TMP/slow")"
kill $slow_server
