#!/usr/bin/env bash
# Completion, help topics, manual pages: all made from the table of verbs.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'END'
name: mine
command: [sh, -c, 'throng report val_loss=1 acc=2']
method: grid
metric: {name: val_loss}
parameters: {lr: {values: [1]}, opt: {parameters: {beta: {value: 2}}}}
END
"$THRONG" run study.yaml 2>/dev/null

# ---- candidates ------------------------------------------------------------
offers() { # NAME EXPECTED WORD…
    local name=$1 expected=$2
    shift 2
    check_equal "$name" "$expected" "$("$THRONG" __complete -- "$@" |
        cut -f 1 | paste -sd' ')"
}
offers "verbs are completed" "retry rerun report" re
check_contains "with what they do" "$("$THRONG" __complete -- ran)" "List the best"
offers "options of a verb" "--reverse" rank --rev
offers "a misspelt verb gives nothing" "" rnak --
offers "studies" "mine" status m
offers "files where a study file is meant" ":files" run ""
offers "states of trials" "timed_out" show mine tim
offers "several trials" "1,best:" show 1,be
offers "no second study" "" show mine m
offers "metrics and parameters to rank by" "val_loss acc lr opt.beta trial seconds attempts started ended" \
    rank --by ""
offers "the same behind an equals sign" "--by=val_loss" rank --by=va
offers "names in a filter" "lr>1&val_loss" rank --where 'lr>1&va'
offers "parameters of a point" "lr=1,opt.beta=" add 'lr=1,o'
offers "the next ones of a point" "lr=1,opt.beta=" add lr=1,
offers "but no study within one" "" add lr=1,m
offers "how curves are drawn" "braille blocks ascii" watch --curves ""
"$THRONG" tag 1 keep 2>/dev/null
offers "tags that there are" "keep" tag 1 ""
offers "also of a study that is named" "keep" tag mine 1 k
offers "and in a selector" "tag:keep" show tag:k
offers "and in a filter" "lr>1&tag:keep" rank --where 'lr>1&tag:'
offers "trials to compare" "1" diff 1 1
offers "no study behind a trial" "" diff 1 m
offers "the value of an option is no argument" "mine" rank --by acc m
offers "parameters to fix" "lr=" run --fix l
offers "templates" "sweep shell search" init --template s
offers "shells" "zsh" completion z
offers "topics of help" "protocol" help proto
run "$THRONG" __complete -- show nothere ""
check_status "a study that is not there is no fault" 0

# ---- scripts ---------------------------------------------------------------
complete_bash() { # LINE
    "$THRONG" completion bash >throng.bash
    bash -c 'source ./throng.bash
        COMP_LINE=$1 COMP_POINT=${#1}
        _throng 2>/dev/null
        printf "%s\n" "${COMPREPLY[@]}"' - "$1" | paste -sd' '
}
check_equal "bash completes verbs" "status stop" "$(complete_bash 'throng st')"
check_equal "and names" "mine" "$(complete_bash 'throng rank m')"
check_equal "behind what it breaks words at" "val_loss" \
    "$(complete_bash 'throng rank --by=va')"
check_equal "also in a point" "1,opt.beta=" "$(complete_bash 'throng add lr=1,')"
check_contains "and files" "$(complete_bash 'throng run st')" "study.yaml"
for shell in zsh fish; do
    run "$THRONG" completion $shell
    check_contains "there is a script for $shell" "$out" "__complete --"
    if command -v $shell >/dev/null; then
        printf '%s\n' "$out" >script
        check "which $shell can read" $shell -n script
    else
        skip "which $shell can read" "no $shell here"
    fi
done
run "$THRONG" completion fich
check_status "for no other shell" 2
check_contains "but it suggests one" "$err" "did you mean fish?"

# ---- help ------------------------------------------------------------------
for topic in study protocol selectors filter exit-codes environment; do
    run "$THRONG" help $topic
    check_status "there is help on $topic" 0
    check_equal "that fits 80 columns ($topic)" "" "$(grep -E '.{81}' <<<"$out")"
done
run "$THRONG" help exit-code
check_contains "a misspelt topic is suggested" "$err" "did you mean \`exit-codes\`?"
run "$THRONG" help
check_contains "the topics are listed" "$out" "exit-codes"

# ---- manual pages ----------------------------------------------------------
check "manual pages are written" "$ROOT/tools/man" "$THRONG" man
check_equal "one for each verb" "" "$(for verb in $("$THRONG" help |
    sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    [ -s "man/throng-$verb.1" ] || echo "$verb"
done)"
check "of study files" grep -q 'run_cap' man/throng-study.5
check "and of the protocol" grep -q THRONG_PARAMS man/throng-protocol.7
check_contains "with options" "$(cat man/throng-rank.1)" '\fB\-\-where\fR'
if command -v groff >/dev/null; then
    check_equal "groff finds no fault" "" \
        "$(for page in man/*; do groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null; done)"
else
    skip "groff finds no fault" "no groff here"
fi
run "$THRONG" help --man nopage.9
check_status "there is no other page" 2

# ---- pager -----------------------------------------------------------------
cat >on_terminal.py <<'END'
import os, pty, sys
out = b""
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    out += data
_, status = os.waitpid(pid, 0)
sys.stdout.write(out.decode().replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(status))
END
unset THRONG_PAGER
terminal() { TERM=xterm python3 on_terminal.py "$@"; }
check_equal "long output on a terminal goes through PAGER" "P:rank" \
    "$(PAGER='sed s/^/P:/' terminal "$THRONG" rank | head -n 1 | cut -d' ' -f 1)"
check_equal "THRONG_PAGER comes first" "Q:rank" \
    "$(PAGER='sed s/^/P:/' THRONG_PAGER='sed s/^/Q:/' terminal "$THRONG" rank |
        head -n 1 | cut -d' ' -f 1)"
check_equal "an empty one is none" "rank" \
    "$(PAGER= terminal "$THRONG" rank | head -n 1 | cut -d' ' -f 1)"
check_equal "a dumb terminal has none" "rank" \
    "$(PAGER='sed s/^/P:/' TERM=dumb python3 on_terminal.py "$THRONG" rank |
        head -n 1 | cut -d' ' -f 1)"
check_equal "nor has a pipe" "rank" \
    "$(PAGER='sed s/^/P:/' "$THRONG" rank | head -n 1 | cut -f 1)"
PAGER=cat terminal "$THRONG" rank --by nothing >/dev/null
check_equal "an error keeps its exit code" 1 $?
PAGER='sed s/^/P:/' terminal "$THRONG" show 99 >/dev/null
check_equal "also behind a pager" 4 $?
check_equal "COLUMNS narrows a table" "" \
    "$(PAGER='' COLUMNS=30 terminal "$THRONG" rank | grep -E '.{31}')"
check_lacks "a dumb terminal gets plain progress lines" \
    "$(TERM=dumb python3 on_terminal.py "$THRONG" run study.yaml --new other)" \
    "$(printf '\033')"
