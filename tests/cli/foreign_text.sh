#!/usr/bin/env bash
# Names, values, notes and output are not ours: what a terminal would obey in
# them is shown as letters by every verb, in a pipe and on a terminal.
# thorough: every verb, in a pipe and on a terminal
. "$(dirname "$0")/lib.sh"

# Bytes that a terminal may obey: control characters but line feed and tab,
# those of eight bits as UTF-8, and lone bytes of that kind.
cat >obeyed.py <<'END'
import re, sys
text = open(sys.argv[1], "rb").read().decode("utf-8", "surrogateescape")
for m in re.finditer("[\0-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]", text):
    print("%r in %r" % (m.group(), text[max(0, m.start() - 40):m.end() + 20]))
    break
END
ESC=$(printf '\033')
CSI=$(printf '\302\233')

mkdir "ho${ESC}[7mme" && cd "ho${ESC}[7mme" || exit 1
cat >study.yaml <<'END'
name: foreign
command: [sh, task.sh, "{x}"]
method: grid
retries: 0
parameters: {x: {values: ["\e[31mred", "\x9b5n\a", fail]}}
metric: {name: "lo\e[5mss"}
END
cat >task.sh <<'END'
printf 'say \033[32mgreen\033[0m \033]0;title\a \302\2336n \233 %s\n' "$1"
throng report "$(printf 'lo\033[5mss')=1" "$(printf 'ot\302\2333Jher')=2"
printf '{"%s": nan, "x"}\n' "$(printf 'js\302\233on')" >>"$THRONG_METRICS"
printf '{"li\\u001b[3Jne": "\\u009b7m", "step": 1}\n' >>"$THRONG_METRICS"
printf 'bad \033[2J\302\2332J: Error %s\n' "$1" >&2
[ "$1" != fail ]
END
cat >wrong.yaml <<'END'
command: "echo {\e[31my} ${env\x9bvar:X}"
meth\e[31mod: "gr\x9bid"
parameters: {"a\e[5m": {values: ["\e"]}, b: {values: [1], "\x9b": 2}}
END
printf 'x\n\033[2Jred\n' >points.csv
cat >model.yaml <<'END'
"in\e[31mput": "\x9b2J"
END
printf '[Global\033[31m]\nx\302\2332J = 1\nepochs="\033[2J"\n' >model.txt

# What each verb is tried with; one that has no line here is found below. A
# word `|` parts several calls.
calls() { # VERB
    case $1 in
    run) echo 'study.yaml | wrong.yaml | study.yaml --dry-run --new other' ;;
    check) echo 'study.yaml | wrong.yaml | study.yaml --try 1 | --json study.yaml' ;;
    show) echo '1-3 | --json 1-3 | --command 1-3' ;;
    explain) echo '1 | 3 | --json 3' ;;
    watch) echo '--once' ;;
    export) echo '--json' ;;
    diff) echo '1 2 | --json 1 2' ;;
    errors | rank | ls | importance | status | doctor) echo '| --json' ;;
    add) echo "x=${ESC}[31mred | x=${ESC}[8mno | --file points.csv" ;;
    tag) echo "new 1 | ${CSI}2J 1" ;;
    note) echo "1 a${ESC}[31mred${CSI}2J" ;;
    rerun) echo "1 | 1${CSI}" ;;
    retry | stop | kill) echo "3 | all | ${ESC}[2J" ;;
    params) echo 'model.txt --json' ;;
    train | evaluate | predict | model | suggest) echo "model.yaml | wrong.yaml" ;;
    ensemble) echo "no${ESC}[2Jne best:2 -o x.ensemble | no${ESC}[2J:2 -o x.ensemble | best:2 --combine ${ESC}[2J -o x.ensemble" ;;
    calibrate) echo "no${ESC}[2Jne | wrong.yaml | model.yaml --alpha ${ESC}[2J" ;;
    novelty) echo "no${ESC}[2Jne -o x | wrong.yaml -o x | model.yaml -o x --alpha ${ESC}[2J" ;;
    inferences) echo "| --json | no${ESC}[2Jne" ;;
    report) echo "lo${ESC}[2J=1 | lo${CSI}=x" ;;
    rm) echo "3 -y | no${ESC}[2Jne -y" ;;
    submit-file) echo "no${ESC}[2Jne.yaml | wrong.yaml --engine ${ESC}[2J" ;;
    web) echo "no${ESC}[2Jne | --address ${ESC}[2J | --socket /none${ESC}[2J/x" ;;
    plot) echo "no${ESC}[2J | history no${ESC}[2Jne | slice --x no${ESC}[2J | history -o no${ESC}[2J.xyz | history | slice" ;;
    summary) echo "no${ESC}[2Jne -o s.md | -o no${ESC}[2J.xyz" ;;
    compare) echo "x=${ESC}[2J x=1 | no${ESC}[2Jne x=1 x=2 --over ${ESC}[2J | --over x x=${CSI}2J x=1" ;;
    trust) echo "--remove no${ESC}[2Jne" ;;
    init | logs | completion | help | version) echo "no${ESC}[2J" ;;
    esac
}
found() { # NAME: the last run wrote nothing that is obeyed
    local bad
    bad=$(python3 ../obeyed.py "$TMP/.out"; python3 ../obeyed.py "$TMP/.err")
    if [ -z "$bad" ]; then ok "$1"; else not_ok "$1" "$bad"; fi
}

"$THRONG" run -q study.yaml
"$THRONG" note 1 "a${ESC}[31mred${CSI}2J"
verbs=$("$THRONG" help | sed -nE 's/^  ([a-z-]+) +[A-Z].*/\1/p')
check_contains "the verbs are known" "$verbs" "explain"
for verb in $verbs; do
    said=$(calls "$verb")
    if [ -z "$said" ]; then
        not_ok "$verb is tried here" "add a line for it to calls()"
        continue
    fi
    IFS='|' read -ra each <<<"$said |"
    for words in "${each[@]}"; do
        read -ra words <<<"$words"
        run timeout 120 "$THRONG" "$verb" "${words[@]}"
        found "$(printf %s "$verb ${words[*]}" | tr -d "$ESC$CSI"): nothing is obeyed"
    done
done

# ---- data for programs ------------------------------------------------------
run "$THRONG" show --json 2
check_contains "JSON keeps what it shows" \
    "$(python3 -c 'import json, sys; print(ascii(json.load(sys.stdin)))' <"$TMP/.out")" \
    "{'x': '\\x9b5n\\x07'}"
"$THRONG" export --csv >table.csv
check_equal "CSV in a file keeps every byte" "${ESC}[31mred|${CSI}5n$(printf '\a')" \
    "$(python3 -c '
import csv
rows = list(csv.DictReader(open("table.csv", newline="")))
print("|".join(r["x"] for r in rows[:2]))')"
"$THRONG" logs 1 >log
check_contains "so does the log" "$(cat log)" "${ESC}]0;title"
out=$("$THRONG" show --command 2 | sed 's/sh task\.sh/printf %s/' | sh)
check_equal "the command of a trial can be pasted" "${CSI}5n$(printf '\a')" "$out"

# ---- on a terminal ----------------------------------------------------------
if ! command -v script >/dev/null; then
    skip "on a terminal" "there is no script(1) here"
    exit 0
fi
for words in "show all" "show --command all" "explain 1" "check study.yaml" \
    "export --csv" "errors" "rank" "status" "ls" "params model.txt"; do
    TERM=xterm script -qec "stty cols 200; '$THRONG' $words" /dev/null \
        </dev/null | tr -d '\r' >"$TMP/.out"
    : >"$TMP/.err"
    found "$words on a terminal: nothing is obeyed"
done
TERM=xterm script -qec "'$THRONG' logs 1" /dev/null </dev/null |
    tr -d '\r' >"$TMP/.out"
check_contains "logs on a terminal keep their colours" "$(tr -d '\0' <"$TMP/.out")" \
    "${ESC}[32mgreen${ESC}[0m"
sed -i "s/${ESC}\[[0-9]*m//g" "$TMP/.out"
found "and nothing else that is obeyed"
check_contains "which is shown" "$(cat "$TMP/.out")" '^[]0;title^G'
