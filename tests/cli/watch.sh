#!/usr/bin/env bash
# `watch`: what it shows on terminals of two sizes, its keys, what it prints
# off a terminal; and the block below the progress line of `run`.
. "$(dirname "$0")/lib.sh"

# A study of 24 trials whose values are known: trial n has x = n, reports
# 10 steps and ends with loss n / 10; every fifth one fails.
cat >study.yaml <<'END2'
name: seen
command:
  - sh
  - -c
  - |
    for i in 1 2 3 4 5 6 7 8 9 10; do
      awk -v i=$i -v x={x} 'BEGIN { print "::throng step=" i " loss=" x / i " acc=" i / 10 }'
    done
    printf 'epoch 1\rthe last line of trial {x}\n'
    if [ $(({x} % 5)) = 0 ]; then echo "RuntimeError: out of luck" >&2; exit 3; fi
method: grid
grid: {order: written}
metric: {name: loss}
parameters:
  x: {min: 1, max: 24}
  a_parameter_with_a_long_name: {value: a rather long text in here that goes on}
  model: {value: "résumé 日本"}
END2
"$THRONG" run -q study.yaml

# ---- off a terminal --------------------------------------------------------
run "$THRONG" watch
check_status "off a terminal it prints once" 0
check_equal "without talk" "" "$err"
check_lacks "or control characters" "$out" "$(printf '\033')"
check_matches "it says who runs it" "$out" '^seen  not running +20[0-9-]+ [0-9:]+$'
check_matches "how far it is" "$out" '24/24 done  100 %  best loss 0\.1 \(trial 1\)$'
check_equal "and the states" "20 done  4 failed" "$(sed -n 3p <<<"$out")"
check_matches "the best comes first" "$out" '^ +1 +1 +0\.1 +done '
check_matches "then the others in order" "$out" '^ +5 +6 +0\.6 +done '
check_matches "failures say why" "$out" \
    '^ +20 +failed .*  RuntimeError: out of luck \(exit'
check_contains "the best so far is drawn" "$out" "best loss by trial"
check_contains "and the best trial" "$out" "trial 1: loss by step"
check_contains "with braille" "$out" "⣀⣀⣀⣀⣀⣀"
check_lacks "but not for a console that has none" \
    "$(TERM=linux "$THRONG" watch -1 seen 2>/dev/null)" "⣀"
wide() { # COLUMNS: lines of standard input that are wider
    python3 -c '
import sys, unicodedata
for line in sys.stdin:
    line = line.rstrip("\n")
    n = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
    if n > int(sys.argv[1]):
        print(n, line)' "$1"
}
check_equal "within 80 columns" "" "$(wide 80 <<<"$out")"
run env COLUMNS=40 "$THRONG" watch
check_equal "or 40" "" "$(wide 40 <<<"$out")"
run env COLUMNS=200 "$THRONG" watch
check_contains "or 200" "$out" "a rather long text in here that goes on"
run env LC_ALL=C "$THRONG" watch
check_equal "without UTF-8 all is ASCII" "" "$(LC_ALL=C grep '[^ -~]' <<<"$out")"
check_matches "curves too" "$out" "'''|\.\.\.|:"
check_contains "and the bar" "$out" "[####"
run "$THRONG" watch --curves blocks
check_contains "blocks can be asked for" "$out" "▄▄▄▄▄▄"
run "$THRONG" watch --curves colour
check_status "nothing else" 2
check_contains "with what there is" "$err" "braille, blocks or ascii"
run "$THRONG" watch nosuch
check_status "a study that is not there is said" 4
cat >later.yaml <<'END2'
name: later
command: [sh, -c, 'throng report loss={x}; sleep 0.1']
method: grid
grid: {order: written}
metric: {name: loss, goal: maximize}
parameters: {x: {values: [1, 2, 3]}}
END2
run "$THRONG" watch later.yaml
check_status "and one that has not begun" 4
run "$THRONG" watch seen study
check_status "one study is enough" 2

# ---- on a terminal ---------------------------------------------------------
if ! command -v tmux >/dev/null; then
    skip "on a terminal" "there is no tmux here"
    exit 0
fi
on() { tmux -S "$TMP/.tmux" "$@"; }
trap 'on kill-server 2>/dev/null; finish' EXIT

begin() { # NAME COLUMNS ROWS COMMAND
    on -f /dev/null new-session -d -s "$1" -x "$2" -y "$3" \
        "$4; echo; echo ended with \$?; sleep 1000"
}
seen() { on capture-pane -p -t "$1"; }
shows() { seen "$1" | grep -Eq -- "$2"; }
# Wait for a line on the screen; a failed check prints the screen.
check_shows() { # NAME SESSION REGEX
    if wait_for 20 shows "$2" "$3"; then
        ok "$1"
    else
        not_ok "$1" "expected a line matching: $3" "$(seen "$2")"
    fi
}
keys() { # SESSION KEY...
    on send-keys -t "$@"
}

begin small 80 24 "$THRONG watch seen"
check_shows "80x24: the study" small '^seen  not running +20'
check_shows "how far it is" small '^\[█+\] 24/24 done  100 %  best loss 0\.1 \(trial 1\)$'
check_shows "the states" small '^20 done  4 failed$'
check_shows "the panes" small '^\[1 best\] 2 running  3 failed \(4\)  4 curves$'
check_shows "titles" small '^  rank  trial  loss  state +took +x +a_parameter_w.* +model$'
check_shows "the best, with the cursor" small '^>    1      1   0\.1  done .* 1  a rather long.*résumé 日本$'
check_shows "curves side by side" small '^best loss by trial +trial 1: loss by step$'
check_shows "their ends" small '^ +1 +24 +1 +10$'
check_shows "the keys" small '^q quit  tab pane .*\? help$'
check_equal "24 lines" 24 "$(seen small | wc -l)"
check_equal "none wider than 80" "" "$(seen small | wide 80)"
keys small Down Down Down
check_shows "down chooses another" small '^>    4      4   0\.4'
check_shows "whose curve is drawn" small 'trial 4: loss by step$'
keys small NPage NPage NPage
check_shows "pages end at the last" small '^>   20     24   2\.4'
keys small Home
check_shows "home is the first" small '^>    1      1   0\.1'
keys small Enter
check_shows "enter shows the trial" small '^trial 1  done$'
check_shows "its parameters" small '^  x +1$'
check_shows "its metrics with small curves" small '^  loss +0\.1 +0\.1 +1 +10  █'
check_shows "which rise or fall" small '^  acc +1 +0\.1 +1 +10  ▁.*█$'
keys small NPage NPage NPage
check_shows "and the end of its output, as a terminal would show it" small \
    '^  the last line of trial 1$'
keys small Escape
check_shows "escape goes back" small '^\[1 best\]'
keys small 2
check_shows "2 is what runs" small '^  no trial is running$'
keys small Tab
check_shows "tab is the next" small '^ 1 best  2 running \[3 failed \(4\)\] 4 curves$'
check_shows "the newest failure first" small '^>    20  failed .*  RuntimeError: out of luck \(exit'
check_shows "the others below" small '^ +5  failed '
keys small 4
check_shows "4 is the curves" small '^best loss by trial$'
check_shows "one on another" small '^trial 1: loss by step$'
keys small 1 m
check_shows "m draws another metric" small 'trial 1: acc by step$'
keys small x Down Down x
check_shows "x puts trials into one chart" small 'trials 3 1: acc by step$'
check_shows "those in it have a star" small '^ \*   1      1   0\.1'
check_shows "and the chosen one" small '^>\*   3      3   0\.3'
check_shows "each curve has its number at its end" small ' 1 .*⠉3$'
keys small Down
check_shows "the chosen trial is beside them" small 'trials 4 1 3: acc by step$'
keys small X M
check_shows "X and M go back" small 'trial 4: loss by step$'
keys small '>' '>'
check_shows "> scrolls columns out of sight, which is said" small '^  rank  trial  loss  +x  .*<2$'
keys small '<' '<' Home
check_shows "< back again" small '^  rank  trial  loss  state +took +x '
keys small 4
keys small '?'
check_shows "? is help" small 'q, Ctrl-C +quit; the study goes on'
keys small '?' 1 s
check_shows "s sorts by something else" small 'sort: trial'
check_shows "newest first" small '^>    1     24   2\.4'
keys small r
check_shows "r the other way round" small '^>    1      1   0\.1'
keys small s s s
check_shows "by another metric" small 'sort: acc reversed'
keys small S S S S r
check_shows "S and r back again" small '4 curves$'
keys small / 'x > 20 and x < 23' Enter
check_shows "/ filters" small 'filter: x > 20 and x < 23$'
check_shows "the best" small '^>    1     21   2\.1'
two_done() { [ "$(seen small | grep -c '  done  ')" = 2 ]; }
check "and nothing else" wait_for 20 two_done
keys small / C-u 'x >' Enter
check_shows "a filter that is wrong stays to be put right" small '^filter: x > .*expected'
keys small C-u 'xx > 3' Enter
check_shows "so does one with a name that is none" small '^filter: xx > 3 .*xx'
keys small C-u Enter
check_shows "an empty one shows all" small '^ +6 +7 +0\.7'
on resize-window -t small -x 200 -y 50
check_shows "a wider terminal is used" small \
    'a rather long text in here that goes on +résumé 日本 +.*⠉|in here that goes on +résumé'
check_shows "curves stand beside the lists" small '^best +best loss by trial$'
check_shows "all lists are there" small '^running'
check_shows "with the failures" small '^failed last'
check_equal "50 lines" 50 "$(seen small | wc -l)"
check_equal "none wider than 200" "" "$(seen small | wide 200)"
on resize-window -t small -x 40 -y 10
check_shows "a small one too" small '^>    1      1   0\.1'
check_equal "within its 40 columns" "" "$(seen small | wide 40)"
on resize-window -t small -x 20 -y 3
check_shows "and a tiny one" small '^seen'
on resize-window -t small -x 80 -y 24
check_shows "and back" small '^best loss by trial +trial 1'
keys small q
check_shows "q quits" small '^ended with 0$'

begin large 200 50 "$THRONG watch seen"
check_shows "200x50: the whole name" large 'a_parameter_with_a_long_name'
check_shows "rows" large '^    19     23   2\.3  done'
check_shows "failures" large '^     20  failed .*  RuntimeError: out of luck \(exit code 3\)'
check_shows "both curves" large 'trial 1: loss by step$'
check_shows "and keys" large '^q quit'
check_equal "50 lines there" 50 "$(seen large | wc -l)"
keys large C-c
check_shows "Ctrl-C quits as well" large '^ended with 0$'

begin ascii 80 24 "LC_ALL=C NO_COLOR=1 $THRONG watch seen"
check_shows "without UTF-8 there are other characters" ascii '^\[#+\] 24/24'
check_shows "and the cursor" ascii '^>    1      1   0\.1'
check_equal "all of them ASCII" "" "$(seen ascii | LC_ALL=C grep '[^ -~]')"
keys ascii q
begin dumb 80 24 "TERM=dumb $THRONG watch seen"
check_shows "a dumb terminal gets it printed" dumb '^ended with 0$'
check_shows "once" dumb 'trial 1: loss by step'
begin unknown 80 24 "TERM=no-such-terminal $THRONG watch seen"
check_shows "and so does an unknown one" unknown '^ended with 0$'
begin narrow 80 24 "COLUMNS=60 $THRONG watch seen"
check_shows "COLUMNS is honoured" narrow '^seen  not running '
check_equal "where it is less than the terminal" "" "$(seen narrow | wide 60)"
keys narrow q

# A shell can stop it and let it go on.
on -f /dev/null new-session -d -s shell -x 80 -y 24 'bash --norc -i'
keys shell "$THRONG watch seen" Enter
check_shows "from a shell" shell '^>    1      1   0\.1'
keys shell C-z
check_shows "Ctrl-Z stops it" shell 'Stopped'
keys shell fg Enter
check_shows "fg goes on" shell '^>    1      1   0\.1'
keys shell Down
check_shows "with all its keys" shell '^>    2      2   0\.2'
keys shell q
check_shows "and the shell has its terminal again" shell 'watch seen$'

# ---- a study that begins later, runs and ends ------------------------------
cat >slow.yaml <<'END2'
name: slow
command: [sh, -c, 'throng report step=1 loss={x}; throng report step=2 loss=0.{x}; while [ ! -e go ]; do sleep 0.1; done']
method: grid
grid: {order: written}
parallel: 2
metric: {name: loss}
parameters: {x: {values: [1, 2, 3]}}
resources: {cpus: 0.5}
END2
begin slow 80 24 "$THRONG watch slow.yaml"
check_shows "a study that has not begun is waited for" slow '^slow  has not begun yet'
begin run 80 24 "$THRONG run slow.yaml"
check_shows "then it is seen to run" slow '^slow  running as process [0-9]+ on '
keys slow 2
check_shows "with what runs" slow '^>     1   0\.1     2 +[0-9.]+m?s'
check_shows "up to the last" slow '^      2   0\.2     2 +[0-9.]+m?s'
check_shows "the progress line of run has a block" run '^0/3 done .*2 running'
check_shows "of the running trials" run '^  running +1 +0\.1 +2 +[0-9.]+s +1$'
check_shows "all of them" run '^  running +2 +0\.2 +2 +[0-9.]+s +2$'
keys slow q
check_shows "quitting" slow '^ended with 0$'
check_shows "stops nothing" run '^0/3 done .*2 running'
begin slow2 80 24 "$THRONG watch slow"
check_shows "watching again goes on" slow2 '^slow  running as process'
on resize-window -t run -x 80 -y 12
check_equal "on a low terminal" 0 "$(wait_for 10 eval '! shows run "^  running"'; echo $?)"
check_shows "only the line is left" run '^0/3 done .*2 running'
on resize-window -t run -x 80 -y 24
touch go
check_shows "when it ends that is seen" slow2 '^slow  not running'
check_shows "with all trials" slow2 '3/3 done  100 %  best loss 0\.1'
check_shows "run ends" run '^ended with 0$'
check_matches "and leaves nothing of the block" \
    "$(seen run | grep -c '^  running') $(seen run | grep -c '^throng: 3/3 done')" '^0 1$'
keys slow2 q
# A trial that runs again: what counts is the attempt that runs. The first one
# came to step 50 and waited for the file `second`, the second to step 3.
cat >again.yaml <<'END2'
name: again
command:
  - sh
  - -c
  - |
    if [ "$THRONG_ATTEMPT" = 1 ]; then
      throng report step=50 loss=0.5
      while [ ! -e second ]; do sleep 0.1; done
      exit 1
    fi
    throng report step=3 loss=7
    while [ ! -e third ]; do sleep 0.1; done
retries: 1
metric: {name: loss}
method: grid
grid: {order: written}
parameters: {x: {values: [1]}}
END2
begin again 80 24 "$THRONG run again.yaml"
check_shows "the first attempt" again '^  running +1 +0\.5 +50 +[0-9]\.?[0-9]*s +1$'
first=$(date +%s)
check "runs for four seconds" wait_for 20 eval '[ $(date +%s) -ge $((first + 4)) ]'
touch second
check_shows "the second has its own value, step and time" again \
    '^  running +1 +7 +3 +[0-9.]+m?s +1$'
# However slow the machine is, the first attempt's four seconds are not in it.
shown=$(seen again | sed -n 's/^  running  *1  *7  *3  *\([0-9]*\)[.0-9]*s .*/\1/p')
check "the time of this attempt alone" \
    [ "${shown:-0}" -le $(($(date +%s) - first - 3)) ]
begin again2 80 24 "$THRONG watch again"
check_shows "watch" again2 '^again  running'
keys again2 2
check_shows "too" again2 '^> +1 +7 +3 '
on send-keys -t again2 -l 1$'\r'
on send-keys -t again2 2 Enter
check_shows "keys that come in one burst all count" again2 '^trial 1  running$'
check_shows "the attempt is named" again2 'started .*, running for .*, attempt 2, on '
touch third
check_shows "and in the end the time of all" again2 'took ([4-9]|[1-9][0-9]).*s in 2 attempts, on '
keys again2 q
sed 's/name: slow/name: away/; s/-e go /-e back /' slow.yaml >away.yaml
run "$THRONG" run --detach away.yaml
check_status "a study may run in the background" 0
begin away 80 24 "$THRONG watch away"
check_shows "and is seen all the same" away '^away  running as process [0-9]+ on '
keys away q
check_shows "quitting leaves it" away '^ended with 0$'
begin away2 80 24 "$THRONG watch away"
check_shows "running" away2 '^1 waiting  2 running$'
touch back
check_shows "to its end" away2 '^away  not running'
keys away2 q
begin gone 80 24 "$THRONG watch slow"
check_shows "a study may be removed" gone '^slow  not running'
rm -r .throng/slow
check_shows "while it is watched" gone '^slow  has not begun yet'
keys gone q
