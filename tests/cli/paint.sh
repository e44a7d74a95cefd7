#!/usr/bin/env bash
# Colours on a terminal, and lines that break between words.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'E2'
name: seen
command: [sh, -c, 'echo "::throng loss={x}"; exit {x}']
method: grid
grid: {order: written}
metric: {name: loss}
parameters:
  x: {values: [0, 3]}
  text: {value: one two three four five six seven eight nine ten eleven twelve thirteen}
E2
on_terminal() { # WORDS: throng with them on a terminal of 60 columns
    COLUMNS=60 TERM=xterm script -qec "$THRONG $*" /dev/null </dev/null | tr -d '\r'
}
run env -u NO_COLOR TERM=xterm COLUMNS=60 script -qec "$THRONG run study.yaml" /dev/null
red=$(printf '\033[31m') green=$(printf '\033[32m') escape=$(printf '\033')
unset NO_COLOR
check_contains "the ranking after a run has colours" "$out" "${green}done"
check_contains "rank colours states" "$(on_terminal rank)" "${green}done"
check_contains "ls and status colour failures" "$(on_terminal status)" "${red}failed"
check_contains "show too" "$(on_terminal show 2)" "${red}failed"
check_contains "and errors its titles" "$(on_terminal errors)" "$(printf '\033[1m')"
for verb in rank status "show 2" errors ls "explain 2"; do
    check_lacks "$verb has none where NO_COLOR is set" \
        "$(NO_COLOR=1 on_terminal "$verb" | tr -d '\017')" "$escape[3"
    # shellcheck disable=SC2086 # words
    check_lacks "nor in a pipe" "$("$THRONG" $verb 2>&1)" "$escape"
done
wide() { awk 'length($0) > 60' | grep -v '|'; }
check_equal "explain breaks between words" "" \
    "$(NO_COLOR=1 on_terminal explain 2 | wide)"
check_contains "in a pipe lines are whole" "$("$THRONG" explain 2)" \
    "a line that runs it by hand"
note="a note of many words that is by far too long for a terminal of sixty columns"
"$THRONG" note 2 "$note" >/dev/null 2>&1
plain=$(NO_COLOR=1 on_terminal show 2)
check_equal "show breaks between words, and goes on where the text began" \
    "note     a note of many words that is by far too long for a
         terminal of sixty columns" "$(grep -A 1 '^note' <<<"$plain")"
check_matches "values stay whole" "$plain" '^  text  one .* thirteen$'
check_contains "in a pipe the note is whole" "$("$THRONG" show 2)" "note     $note"
folder="a folder with blanks in its name, and it is a long one/of two parts"
mkdir -p "$folder/.throng"
cp -r .throng/seen "$folder/.throng/"
check_contains "a path stays whole, blanks or not" \
    "$(cd "$folder" && NO_COLOR=1 on_terminal show 2)" "files    $PWD/$folder/.throng/"
sed 's/^name:.*/name: two/; s/^metric:.*/metrics: [{name: loss}, {name: size}]/
    s/loss={x}"; exit {x}/loss={x} size=2"/' study.yaml >two.yaml
"$THRONG" run -q two.yaml
check_equal "status breaks between words" \
    "volume   0 (hypervolume, from the worst value of each
         metric)" "$(NO_COLOR=1 on_terminal status two | grep -A 1 '^volume')"
check_contains "a point of a list goes on behind its dash" \
    "$(NO_COLOR=1 on_terminal check two.yaml)" \
    "  - trials do not depend on each other: any number can run
    at once, anywhere"
words='there-is no study of that name and these are many words for one'
plain=$(NO_COLOR=1 on_terminal "run '$words.yaml'")
check_equal "errors break between words" "" "$(wide <<<"$plain")"
check_matches "and say all the same" "$(tr '\n' ' ' <<<"$plain")" \
    "^throng run: .*$words.yaml"
check_equal "in a pipe an error is one line" 1 \
    "$("$THRONG" run "$words.yaml" 2>&1 | wc -l)"

# ---- what a study is about to do, and what does not run ------------------------
check_matches "check breaks lines between words" "$(on_terminal check study.yaml)" \
    "trials do not depend on each other: any number can run$"
check_lacks "a study that does not run is not painted as one that does" \
    "$(on_terminal status)" "not $(printf '\033[36m')running"

# ---- what a network predicts ----------------------------------------------------
{ echo a,b,y; for i in $(seq 20); do echo "$i,$((i * 7 % 5)),$((i % 2 ? 0 : 1))"; done; } >rows.csv
printf '%s\n' 'layers: [{dense: 4, activation: relu}, {dense: 2}]' \
    'loss: sparse_categorical_crossentropy' 'epochs: 10' 'metrics: [accuracy]' \
    'data: {file: rows.csv, label: y, validation: 0.5, scale: std}' >net.yaml
check_matches "epochs stand below each other" "$(on_terminal train net.yaml)" \
    '^epoch  1/10  loss [0-9.e-]+ *val_loss [0-9.e-]+ *val_accuracy 0\.?[0-9]*$'
check_matches "so do predictions" "$(on_terminal predict net.safetensors)" \
    '^ *6 +1 +[01]  0\.[0-9]+ +0\.[0-9]+$'
check_matches "and what was measured" "$(on_terminal evaluate net.safetensors)" '^accuracy  [01]'
