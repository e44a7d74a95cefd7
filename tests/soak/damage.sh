#!/usr/bin/env bash
# Damaged stores: 180 copies of the store of a finished and of an interrupted
# study, each with flipped bits, a zeroed page, noise or a cut. Whatever `run`
# ends with 0 has the results of an undamaged one.
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
# What is in the log alone is not damaged.
sqlite3 .throng/s/study.db 'pragma wal_checkpoint(truncate)' >/dev/null
cp -a .throng interrupted
run "$THRONG" run s.yaml
check_status "the undamaged one comes to its end" 0
cp -a .throng finished

run python3 - "$THRONG" "${1:-180}" <<'END'
import json, os, random, shutil, subprocess, sys

throng, variants = sys.argv[1], int(sys.argv[2])


def results():
    out = subprocess.run([throng, "export", "s", "--jsonl"],
                         capture_output=True, text=True)
    rows = [json.loads(line) for line in out.stdout.splitlines()]
    return out.returncode, sorted(
        (t["params"]["a"], t["state"], t["value"]) for t in rows)


def damage(kind, path, rng):
    size = os.path.getsize(path)
    with open(path, "r+b") as f:
        if kind == "flip":
            for _ in range(rng.choice([1, 4, 20])):
                at = rng.randrange(size)
                f.seek(at)
                byte = f.read(1)[0] ^ (1 << rng.randrange(8))
                f.seek(at)
                f.write(bytes([byte]))
        elif kind == "cut":
            f.truncate(rng.randrange(size))
        else:
            f.seek(rng.randrange(size // 4096) * 4096)
            f.write(bytes(4096) if kind == "zero" else rng.randbytes(256))


truth = results()
for i in range(variants):
    base, kind = ("interrupted", "finished")[i % 2], \
        ("flip", "zero", "noise", "cut")[i // 2 % 4]
    shutil.rmtree(".throng")
    shutil.copytree(base, ".throng")
    damage(kind, ".throng/s/study.db", random.Random(i))
    code = subprocess.run([throng, "run", "s.yaml"], capture_output=True,
                          timeout=300).returncode
    if code not in (0, 1, 3) or (code == 0 and results() != truth):
        print(f"variant {i}: {base}, {kind}: exit code {code}")
END
check_equal "no damaged store ends well with other results" "0 " "$status $out"
