#!/usr/bin/env bash
# Damaged stores: 180 copies of the store of a finished and of an interrupted
# study, each with flipped bits, a zeroed page, noise or a cut; and as many
# with bits flipped inside of what a row holds. Whatever `run` ends with 0 has
# the results of an undamaged one, and of the second kind none ends with 0: what
# is in use is looked at.
#
#     tests/soak/damage.sh [VARIANTS]
# timeout: 3600
. "$(dirname "$0")/../cli/lib.sh"

cat >s.yaml <<END
method: grid
command: [sh, -c, 'throng report y=\$1;
    while [ \$1 -ge 40 ] && [ ! -e $TMP/go ]; do sleep 0.1; done', sh, "{a}"]
parameters: {a: {min: 1, max: 60}}
metric: {name: y}
grid: {order: written}
parallel: 4
END
"$THRONG" run s.yaml >/dev/null 2>&1 &
pid=$!
many_done() {
    [ "$("$THRONG" export s --jsonl 2>/dev/null | grep -c '"done"')" -ge 30 ]
}
wait_for 120 many_done
kill -9 $(cat "/proc/$pid/task/$pid/children") "$pid"
wait "$pid" 2>/dev/null
touch go
# What is in the log alone is not damaged: throng folds it in.
run "$THRONG" note s 1 "looked at"
check_status "of an interrupted study a verb takes the lease" 0
cp -a .throng interrupted
run "$THRONG" run s.yaml
check_status "the undamaged one comes to its end" 0
cp -a .throng finished

cat >damage.py <<'END'
import json, os, random, shutil, sqlite3, struct, subprocess, sys

throng, variants = sys.argv[1], int(sys.argv[2])


def results():
    out = subprocess.run([throng, "export", "s", "--jsonl"],
                         capture_output=True, text=True)
    rows = [json.loads(line) for line in out.stdout.splitlines()]
    return out.returncode, sorted(
        (t["params"]["a"], t["state"], t["value"]) for t in rows)


def cells(path):
    """Where the texts, blobs and numbers of trials and what was heard of them
    lie in the file: what is told of it by another program, found again."""
    text = open(path, "rb").read()
    db = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
    found = []
    for sql in ("select point from trials", "select summary from texts",
                "select points from metrics", "select text from facts",
                "select value from trials where abs(value) >= 0.5",
                "select started from attempts where started > 1"):
        for value, in db.execute(sql):
            if isinstance(value, float):
                value = struct.pack(">d", value)
            elif isinstance(value, str):
                value = value.encode()
            at = text.find(value) if value and len(value) >= 6 else -1
            if at >= 0:
                found.append((at, len(value)))
    db.close()
    return found


def flip(f, at, rng):
    f.seek(at)
    byte = f.read(1)[0] ^ (1 << rng.randrange(8))
    f.seek(at)
    f.write(bytes([byte]))


def damage(kind, path, rng):
    size = os.path.getsize(path)
    inside = cells(path) if kind == "cell" else None
    with open(path, "r+b") as f:
        if kind == "flip":
            for _ in range(rng.choice([1, 4, 20])):
                flip(f, rng.randrange(size), rng)
        elif kind == "cell":
            at, length = rng.choice(inside)
            flip(f, at + rng.randrange(length), rng)
        elif kind == "cut":
            f.truncate(rng.randrange(size))
        else:
            f.seek(rng.randrange(size // 4096) * 4096)
            f.write(bytes(4096) if kind == "zero" else rng.randbytes(256))


def check(name, base, kind, seed):
    shutil.rmtree(".throng")
    shutil.copytree(base, ".throng")
    damage(kind, ".throng/s/study.db", random.Random(seed))
    code = subprocess.run([throng, "run", "s.yaml"], capture_output=True,
                          timeout=300).returncode
    if code not in (0, 1, 3) or code == 0 and (kind == "cell" or
                                               results() != truth):
        print(f"{name} {seed}: {base}, {kind}: exit code {code}")
    return code


truth = results()
noticed = {}
for i in range(variants):
    base = ("interrupted", "finished")[i % 2]
    kind = ("flip", "zero", "noise", "cut")[i // 2 % 4]
    for kind in (kind, "cell"):
        code = check("variant", base, kind, i)
        seen = noticed.setdefault(kind, [0, 0])
        seen[0] += code != 0
        seen[1] += 1
for kind, (found, tried) in noticed.items():
    print(f"# {kind}: {found} of {tried} ended with an error", file=sys.stderr)
END
run python3 damage.py "$THRONG" "${1:-180}"
printf '%s\n' "$err"
check_matches "damage was done" "$err" '# cell: [0-9]+ of [1-9]'
check_equal "no damaged store ends well with other results" "0 " "$status $out"
