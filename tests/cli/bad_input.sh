#!/usr/bin/env bash
# What a person gets wrong on the command line: the message names the thing
# and the way out, with a suggestion where one is close.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'END'
name: mine
command: [sh, -c, 'throng report loss={lr}; test {bs} != 32']
method: grid
metric: {name: loss}
parameters: {lr: {values: [0.1, 0.01]}, bs: {values: [16, 32]}}
END
"$THRONG" run -q study.yaml 2>/dev/null
says() { # NAME STATUS PART WORD…
    local name=$1 expected=$2 part=$3
    shift 3
    run "$THRONG" "$@"
    check_status "$name" "$expected"
    check_contains "$name: what it says" "$err" "$part"
}

# ---- verbs and options -----------------------------------------------------
for pair in best:rank results:rank resume:run delete:rm list:ls log:logs \
    cancel:stop cmp:diff why:explain top:watch dashboard:web curves:plot \
    new:init Best:rank; do
    says "${pair%:*} is ${pair#*:} here" 2 "did you mean \`${pair#*:}\`?" "${pair%:*}"
done
says "an option in place of a verb" 2 "did you mean \`--help\`?" --hlep
says "a misspelt option" 2 "did you mean --help?" rank --hlep
says "a trial counted from the end" 2 "last:N" show -1
says "a topic that is none" 2 "topics are study, methods, protocol," help fooo
says "help on another tool's verb" 2 "did you mean \`rank\`?" help results
says "a shell that is none of ours" 2 "for bash, zsh and fish" completion tcsh
says "a misspelt template" 2 "did you mean \`sweep\`?" init --template swep
check_lacks "which is enough" "$err" "there are"

says "a key of the study file" 2 "\`parallel:\` is a key of the study file" run study.yaml --parallel 3
says "no trial at all" 2 "a number from 1" run study.yaml --count 0
says "nothing to fix" 2 "takes NAME=VALUE" run study.yaml --fix ""
says "a parameter fixed to nothing" 2 "has no value" run study.yaml --fix lr=
says "a folder to begin in" 1 "throng init ./study.yaml" init .
says "a file to list" 4 "study.yaml is no folder" ls study.yaml

# ---- studies and files -----------------------------------------------------
says "a study that is not there" 4 "studies here: mine" status nosuch
says "no study file" 2 "\`throng check study.yaml\`" check
says "nor to run" 2 "\`throng run study.yaml\`" run
says "a misspelt file" 4 "did you mean study.yaml?" check study.yml
says "a file that is like none" 4 "study files here: study.yaml" check zzz
says "a study in place of its file" 4 "\`throng run study.yaml\` goes on" run mine
says "a folder in place of a file" 1 "name a study file in it: study.yaml" check .
says "two files" 2 "one study file at a time" run study.yaml study.yaml
mkdir empty && cd empty || exit 1
says "no study file anywhere" 2 "\`throng init\` writes one" check
says "no study either" 4 "\`throng run STUDY.yaml\` starts one" status nosuch
cp ../study.yaml fresh.yaml
says "a file whose study was never run" 4 "\`throng run fresh.yaml\`" status
printf 'command: ["true"]\npoints: [{x: 1}]\n' >fresh.yaml
"$THRONG" run -q fresh.yaml
says "the best without a metric" 4 "with a value to rank by" show best:1
says "the mean without a metric" 1 "no metric whose mean" rank --over x
cd .. || exit 1

# ---- trials ----------------------------------------------------------------
says "a misspelt selector" 2 "did you mean best:3?" show bst:3
says "a misspelt state" 2 "did you mean failed?" show faild
says "a word that names no trials" 2 "selector 'nosuch'" diff best:1 nosuch
says "a number too high" 4 "has trials 1 to 4" show 99
says "also to compare" 4 "has trials 1 to 4" diff 1 99
says "two trials as two words" 2 "several trials are one word: 1,2" explain 1 2
says "with the study as well" 2 "several trials are one word: 1,2" show mine 1 2
says "a tag in a study without" 4 "the study has no tags" show tag:paper
run "$THRONG" tag 1 paper
says "a misspelt tag" 4 "did you mean \`tag:paper\`?" show tag:papr
says "a tag that is not there" 4 "none of these trials has the tag \`nope\`" tag -r 1 nope
says "a misspelt one to take off" 4 "did you mean \`paper\`?" tag -r 1 papr
says "one that another trial has" 4 "none of these trials" tag -r 2 paper
run "$THRONG" tag -r 1 paper
check_status "the right one comes off" 0

says "a tag but no trials" 2 "say which of its trials" tag mine paper
says "a note but no trials" 2 "say which of its trials" note mine "a note"
cp -r .throng/mine .throng/twin
says "two studies to remove" 2 "remove one at a time" rm mine twin
rm -r .throng/twin

# ---- names -----------------------------------------------------------------
says "a misspelt parameter to look over" 1 "did you mean \`seed\`?" rank --over sed
says "one that is none" 1 "there is bs, lr, and seed" rank --over nothing
says "a metric cannot be looked over" 1 "no trial has a parameter \`loss\`" rank --over loss
says "a misspelt metric" 1 "did you mean \`loss\`?" rank --by los
says "one that is none at all" 1 "there is loss, bs, lr, seconds" rank --by zzz
says "a tag in a filter" 1 "as tag:NAME" rank --where 'tag==foo'

says "what a metric does not have" 1 "has no \`mean\`, but last, min," rank --by loss.mean
says "a filter that nothing passes" 0 "of 4 trials none that has a value passes the filter" rank --where 'lr > abc'

# ---- points ----------------------------------------------------------------
says "parameters joined by semicolons" 2 "joined by commas" add 'lr=0.01;bs=16'
says "or by blanks" 2 "joined by commas" add 'lr=0.01 bs=16'
says "or as several words" 1 "one word, joined by commas" add lr=0.01 bs=16
says "all that is wrong with a point" 1 "bs is missing (one of 16, 32)" add lr=abc
check_contains "is said at once" "$err" 'lr: "abc" is not what it takes: one of 0.1, 0.01'
check_contains "with the study that was meant" "$err" "study mine: "
run "$THRONG" add lr=0.1,bs=16
check_contains "what is added says where" "$err" "1 new trial of mine waits: number 5"
run "$THRONG" rerun 1
check_contains "what is run again too" "$err" "trial 6 of mine waits"
run "$THRONG" retry failed
check_contains "and what is tried again" "$err" "2 trials of mine wait again"

# ---- on a terminal ---------------------------------------------------------
terminal() { TERM=xterm script -qec "$*" /dev/null </dev/null | tr -d '\r'; }
if ! command -v script >/dev/null; then
    skip "on a terminal" "there is no script(1) here"
    exit 0
fi
run "$THRONG" note 1 "$(printf 'a\033[31mred')"
check_contains "control characters of a note are shown" "$(terminal "$THRONG" show 1)" 'a^[[31mred'
check_lacks "not obeyed" "$(terminal "$THRONG" show 1)" "$(printf '\033')"
out=$(COLUMNS=24 terminal "$THRONG" rank)
check_contains "columns that are left out are told" "$out" "… and 3 more columns"
check_equal "within the terminal's width" "" "$(grep -E '.{25}' <<<"$out")"
check_lacks "a single study need not be told" "$out" "the one used last"
"$THRONG" run -q study.yaml --fix bs=16
out=$(terminal "$THRONG" status)
check_contains "of several the one that is meant is named" "$out" "study mine-bs-16, the one used last of 2"
check_lacks "unless it was said" "$(terminal "$THRONG" status mine)" "the one used last"
check_lacks "a program is not told" "$("$THRONG" status 2>&1)" "the one used last"

# ---- a folder whose name is no text -----------------------------------------
odd=$(printf 'odd\377')
if mkdir "$odd" 2>/dev/null; then
    printf 'command: ["true"]\npoints: [{x: 1}]\n' >"$odd/study.yaml"
    run "$THRONG" run "$odd/study.yaml"
    check_status "a folder whose name is not UTF-8 is refused" 1
    check_contains "with the reason" "$err" "is not UTF-8 text"
    run "$THRONG" check "$odd/study.yaml"
    check_status "check refuses it as well" 1
    check_contains "with the same reason" "$err" "is not UTF-8 text"
    check_not "and nothing is written anywhere" test -e "$odd/.throng/study/study.db"
    check_equal "not even beside it" "$odd" "$(printf '%s' odd?*)"
else
    skip "a folder whose name is not UTF-8 is refused" "this file system has none"
fi
