#!/usr/bin/env bash
# Study files that no honest person writes: each is refused at once with a
# message that names the file, and nothing is left behind.
. "$(dirname "$0")/lib.sh"

# The time that a refusal may take, in ms; sanitizers are slow. It is CPU time,
# since other programs may keep the machine busy; one that waits instead is
# caught by `timeout`.
limit=1000
[ -n "${ASAN_OPTIONS:-}" ] && limit=5000

# As `run`, and remember the CPU time in $took.
timed() { # COMMAND...
    local TIMEFORMAT='%U %S'
    { time run timeout 200 "$@"; } 2>"$TMP/.time"
    took=$(awk '{ printf "%d", ($1 + $2) * 1000 }' "$TMP/.time")
}

# Why the last run was no clean refusal; empty when it was one.
fault_of() { # FILE MILLISECONDS
    case $err in
    *Sanitizer* | *"runtime error:"*) echo "a sanitizer reports:"; last_run ;;
    *"$1"*) ;;
    *) echo "the message does not name $1:"; last_run ;;
    esac
    [ "$status" -eq 1 ] || { echo "not refused:"; last_run; }
    [ "$2" -le "$limit" ] || echo "took $2 ms of CPU time"
    [ ! -e .throng ] || { echo "left .throng behind"; rm -rf .throng; }
    [ "${#err}" -lt 20000 ] || echo "a message of ${#err} bytes"
}

refused() { # NAME [FILE], the study in FILE or s.yaml
    local file=${2:-s.yaml} verb
    for verb in check run; do
        timed "$THRONG" "$verb" "$file"
        why=$(fault_of "$file" "$took")
        if [ -z "$why" ]; then
            ok "$verb refuses $1"
        else
            not_ok "$verb refuses $1" "$why"
        fi
    done
}

# Not refused perhaps, but answered at once and without a crash.
survived() { # NAME
    timed "$THRONG" check s.yaml
    case $status:$err in
    *Sanitizer* | *"runtime error:"*) not_ok "$1" "$(last_run)" ;;
    [01]:*) if [ "$took" -le "$limit" ]; then ok "$1"; else
        not_ok "$1" "took $took ms"; fi ;;
    *) not_ok "$1" "$(last_run)" ;;
    esac
}

repeat() { # TEXT TIMES
    head -c "$((${#1} * $2))" < <(yes "$1" | tr -d '\n')
}

study() { # the rest of a study whose head is fine
    printf 'method: grid\ncommand: [/bin/true]\n'
    cat
}

good='parameters: {a: {values: [1, 2]}}'

# ---- malformed YAML --------------------------------------------------------

: >s.yaml && refused "an empty file"
printf '\357\273\277' >s.yaml && refused "a file that is only a mark"
echo 'parameters: {a: [1, 2' >s.yaml && refused "an open bracket"
printf 'parameters:\n\ta: 1\n' >s.yaml && refused "a tab as indentation"
echo ': : :' >s.yaml && refused "a file of colons"
echo '- a list' >s.yaml && refused "a list"
echo 'just words' >s.yaml && refused "plain words"
head -c 65536 /dev/urandom >s.yaml && refused "noise"
printf 'method: grid\n--- \nmethod: grid\n' >s.yaml && refused "two documents"
printf 'method: "\377\376"\n' >s.yaml && refused "invalid UTF-8"
{ echo "$good"; echo "$good"; } | study >s.yaml
refused "a key twice"
printf 'a: !!python/object:os.system [x]\n' >s.yaml && refused "a tag"
printf '? [complex]\n: key\n' >s.yaml && refused "a key that is a list"
printf '"%s": 1\n' "$(repeat k 2000)" >s.yaml && refused "a very long key"

# ---- deep nesting, alias bombs ---------------------------------------------

{ repeat '[' 100000; } >s.yaml && refused "100,000 open brackets"
{ repeat '{a: ' 100000; } >s.yaml && refused "100,000 open braces"
{ repeat '- ' 100000; echo x; } >s.yaml && refused "100,000 nested lists"
python3 -c '
for i in range(3000): print(" " * i + "a:")' >s.yaml
refused "3,000 levels of indentation"
{
    echo 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
    for i in 1 2 3 4 5 6 7 8 9; do
        p=$((i - 1))
        echo "a$i: &a$i [*a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p]"
    done
    echo 'parameters: {a: {values: *a9}}'
} | study >s.yaml
refused "an alias bomb"
{
    echo 'b0: &b0 {k: v}'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        p=$((i - 1))
        echo "b$i: &b$i {x: {<<: *b$p}, y: {<<: *b$p}, z: {<<: *b$p}}"
    done
} | study >s.yaml
refused "a bomb of merge keys"
printf 'parameters: &a {a: {values: [1]}, b: *a}\n' | study >s.yaml
refused "an anchor inside itself"
printf 'parameters: *nobody\n' | study >s.yaml && refused "an unknown alias"

# ---- huge numbers ----------------------------------------------------------

for bound in 1e400 -1e400 .inf .nan 99999999999999999999999; do
    printf 'parameters: {a: {min: 0, max: %s}}\n' "$bound" | study >s.yaml
    refused "a grid up to $bound"
done
printf 'parameters: {a: {min: 5, max: 1}}\n' | study >s.yaml
refused "an empty range"
printf 'parameters: {a: {distribution: q_uniform, min: 0, max: 1, q: 0}}\n' |
    study >s.yaml
refused "steps of nothing"
for cap in -1 0.5 1e30 99999999999999999999 x; do
    printf '%s\nrun_cap: %s\n' "$good" "$cap" | study >s.yaml
    refused "a run_cap of $cap"
done
for many in -1 1e30 99999999999999999999; do
    printf '%s\nparallel: %s\n' "$good" "$many" | study >s.yaml
    refused "parallel: $many"
done
for memory in -1 -1G 1e400 99999999999999999999G NaN; do
    printf '%s\nresources: {memory: %s}\n' "$good" "$memory" | study >s.yaml
    refused "memory: $memory"
done
printf '%s\nresources: {time: 1e400}\n' "$good" | study >s.yaml
refused "a time without end"
printf '%s\nretries: 1e99\n' "$good" | study >s.yaml
refused "endless retries"

nine=9000000000000000000
printf 'parameters: {a: {min: 0, max: %s}, b: {min: 0, max: %s}}\n' \
    $nine $nine | study >s.yaml
survived "a grid of 10^37 points is answered at once"
printf 'parameters: {a: {distribution: q_uniform, min: 0, max: 1e300, q: 1}}\n' |
    study >s.yaml
survived "a grid of 10^300 points is answered at once"
printf 'parameters: {a: {min: 1, max: 3}}\nrepeat: 999999999999\n' |
    study >s.yaml
survived "a trillion repeats are answered at once"
printf 'parameters: {a: {value: %s}}\n' "$(repeat 9 100000)" | study >s.yaml
survived "a number of 100,000 digits is answered at once"

# ---- NUL bytes -------------------------------------------------------------

printf 'method: grid\0\ncommand: [/bin/true]\n' >s.yaml
refused "a NUL byte in the file"
printf 'name: "a\\0b"\n%s\n' "$good" | study >s.yaml
refused "a NUL byte in the name"
printf 'parameters: {"a\\0b": {values: [1]}}\n' | study >s.yaml
refused "a NUL byte in a parameter's name"
printf 'method: grid\ncommand: ["/bin/true\\0"]\n%s\n' "$good" >s.yaml
refused "a NUL byte in the command"
printf 'parameters: {a: {values: ["x\\0y"]}}\n' | study >s.yaml
refused "a NUL byte in a value"

# ---- path tricks -----------------------------------------------------------

mkdir deep && cd deep || exit 1
long=$(repeat n 300)
printf 'name: ""\n%s\n' "$good" | study >s.yaml
refused "an empty name"
for name in ../evil ../../evil a/b /tmp/throng-evil .. . '"a\nb"' \
    '"\x1b[31mred"' "$long"; do
    printf 'name: %s\n%s\n' "$name" "$good" | study >s.yaml
    run timeout 200 "$THRONG" run -q s.yaml
    check_equal "the name ${name:0:20} stays within .throng" 1 \
        "$(ls .throng | grep -cE '^[^.[:cntrl:]-][^[:cntrl:]]{0,92}-[0-9a-f]{6}$')"
    check_equal "and leaves nothing beside it" ".throng s.yaml" \
        "$(ls -A | paste -sd ' ')"
    rm -rf .throng
done
cd ..
for name in ../evil /tmp/throng-evil .. '' a/b "$long"; do
    echo "$good" | study >s.yaml
    run timeout 200 "$THRONG" run s.yaml --new "$name"
    if [ "$status" -eq 1 ] || [ "$status" -eq 2 ]; then
        ok "--new \"${name:0:20}\" is refused"
    else
        not_ok "--new \"${name:0:20}\" is refused" "$(last_run)"
    fi
    rm -rf .throng
done
check_equal "nothing was written elsewhere" "" \
    "$(find "$TMP" "$TMP/.." /tmp -maxdepth 1 -name '*evil*' 2>/dev/null)"
rm -rf /tmp/throng-evil
for name in ../x 'a b' '' 1a 'a/b' "'\$(id)'"; do
    printf 'parameters: {"%s": {values: [1]}}\n' "$name" | study >s.yaml
    refused "a parameter called \"$name\""
done
printf 'parameters: {a.b: {values: [1]}, a_b: {values: [1]}}\n' |
    study >s.yaml
refused "two parameters with the same variable"
for path in ../outside /etc/throng-evil a/../../b; do
    printf '%s\ntemplates: {"%s": "{a}"}\n' "$good" "$path" | study >s.yaml
    refused "a template at $path"
done

# ---- files that are none ---------------------------------------------------

run "$THRONG" run nowhere.yaml
check_status "a file that is not there is no such study" 4
check_contains "and is named" "$err" nowhere.yaml
mkdir -p folder.yaml && refused "a folder" folder.yaml
refused "an endless file" /dev/zero
ln -s loop.yaml loop.yaml && refused "a link to itself" loop.yaml
head -c $((80 << 20)) /dev/zero | tr '\0' '#' >big.yaml
refused "a file of 80 MB" big.yaml

# ---- points ----------------------------------------------------------------

bad_points() { # NAME FILE
    printf 'command: [/bin/true]\npoints: %s\n' "$2" >s.yaml
    timed "$THRONG" run s.yaml
    why=$(fault_of "$2" "$took")
    if [ -z "$why" ]; then ok "run refuses $1"; else
        not_ok "run refuses $1" "$why"; fi
}
bad_points "points that are not there" none.jsonl
printf '{"a":1}\n{"a":\n' >p.jsonl && bad_points "a torn point" p.jsonl
printf '[1,2]\n' >p.jsonl && bad_points "a point that is a list" p.jsonl
printf '{"a":1,"a":2}\n' >p.jsonl && bad_points "a key twice in a point" p.jsonl
{ repeat '[' 100000; echo; } >p.jsonl && bad_points "a deep point" p.jsonl
printf 'a,b\n1,2\n3\n' >p.csv && bad_points "a ragged CSV file" p.csv
printf 'a,b\n"1,2\n3,4\n' >p.csv && bad_points "an open quote in CSV" p.csv
printf 'a,a\n1,2\n' >p.csv && bad_points "a column twice" p.csv
head -c 4096 /dev/urandom >p.jsonl && bad_points "noise as points" p.jsonl
