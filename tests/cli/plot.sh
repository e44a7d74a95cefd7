#!/usr/bin/env bash
# throng plot and throng summary: figures of a study that was run, in every form.
. "$(dirname "$0")/lib.sh"

cat >train.sh <<'END'
awk -v lr="$1" -v act="$2" 'BEGIN {
    l = log(lr) / log(10)
    for (s = 1; s <= 4; s++)
        print "::throng step=" s " loss=" (l + 2) ^ 2 + (act == "tanh") + 1 / s " size=" 10 - l
}'
END
cat >study.yaml <<'END'
name: s
command: sh train.sh {lr} {act}
method: random
run_cap: 16
seed: 1
metric: {name: loss}
early_terminate: {type: asha, min_iter: 1, max_iter: 4, eta: 2}
order: lag
lag: 1
parameters:
  lr: {distribution: log_uniform_values, min: 1e-4, max: 1.0}
  act: {values: [relu, tanh]}
END
"$THRONG" run study.yaml >/dev/null 2>&1

valid() { # FILE
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
}

for kind in history curves slice contour parallel importance heat rungs load gantt matrix; do
    run "$THRONG" plot $kind s -o $kind.svg
    check_status "$kind is written as SVG" 0
    run valid $kind.svg
    check_status "which is valid XML" 0
    run env -u COLUMNS LC_ALL=C "$THRONG" plot $kind --size 80x24
    check_status "$kind is drawn in ASCII" 0
    check_equal "as so many lines, in ASCII alone" "24 0" \
        "$(wc -l <"$TMP/.out" | tr -d ' ') $(LC_ALL=C grep -c '[^ -~]' "$TMP/.out")"
done
run "$THRONG" plot pareto --x size --y loss -o pareto.svg
check_status "two metrics make a Pareto front" 0
run "$THRONG" plot history --size 200x50
check_equal "a large screen is filled" 50 "$(wc -l <"$TMP/.out" | tr -d ' ')"
check_contains "in braille where the locale is UTF-8" "$out" "⠒"
check_lacks "without colours in a pipe" "$out" $'\033'

run "$THRONG" plot history --data
check_equal "the numbers are a table" "trial,state,loss,best" "$(head -1 "$TMP/.out")"
check_equal "with a row for each trial" 17 "$(wc -l <"$TMP/.out" | tr -d ' ')"
cp "$TMP/.out" printed
run "$THRONG" plot history --data -o numbers.csv
run cmp printed numbers.csv
check_status "which can be written to a file" 0
run "$THRONG" plot rungs --data
check_contains "rungs say who went on" "$out" "went on"

# PDF and PNG, where cairo is.
run "$THRONG" plot history -o history.pdf
if [ "$status" -eq 0 ]; then
    check_equal "a PDF is one" "%PDF-" "$(head -c 5 history.pdf)"
    run "$THRONG" plot history -o history.png --dark --size 300x200
    check_equal "a PNG is one" PNG "$(head -c 4 history.png | tail -c 3)"
else
    check_contains "without cairo the package is named" "$err" libcairo2
fi

run "$THRONG" plot histry
check_status "a kind that is none is refused" 2
check_contains "with the nearest" "$err" "did you mean history?"
run "$THRONG" plot
check_status "so is none at all" 2
run "$THRONG" plot history -o figure.jpg
check_status "and another ending" 2
check_contains "with those that there are" "$err" ".svg, .pdf or .png"
run "$THRONG" plot history --metric nothing
check_status "a metric that no trial has is named" 1
check_contains "in words" "$err" nothing
run "$THRONG" plot load --metric loss
check_contains "an option that a kind does not look at is refused" "$err" "takes no --metric"
run "$THRONG" plot history --size 3
check_status "and a size that is none" 2
run "$THRONG" plot uncertainty
check_contains "a study without predictions is told what to name" "$err" "--from FILE"
printf 'truth,mean,sd\n1,1,0.1\n2,x,0.1\n' >bad.csv
run "$THRONG" plot uncertainty --from bad.csv
check_contains "a bad cell is named with its line" "$err" 'bad.csv:3: `x` in column `mean` is no number'
printf 'truth,mean,sd\n1,1.05,0.1\n2,2.2,0.1\n' >good.csv
run "$THRONG" plot uncertainty --from good.csv --data
check_contains "predictions of other programs are drawn" "$out" "coverage,0.95,0.5,2"
printf 'row,predicted,sd\n1,1.05,0.1\n' >untrue.csv
run "$THRONG" plot uncertainty --from untrue.csv
check_contains "a column that is not there is named by all of its names" "$err" \
    'untrue.csv:1: no column `truth` or `label` in its first line'
printf 'label,predicted\na,a\na,b\nb,b\n' >pairs.csv
run "$THRONG" plot confusion --from pairs.csv --data
check_equal "pairs are counted" "is,predicted,rows a,a,1 a,b,1 b,a,0 b,b,1" "$(tr '\n' ' ' <"$TMP/.out" | sed 's/ $//')"

run "$THRONG" summary s -o page.html
check_status "a summary is a page" 0
run valid page.html
check_status "which is well formed" 0
check_equal "and needs nothing else" 0 "$(grep -cE '<script|src=|href=|url\(' page.html)"
run grep -c '<svg' page.html
check_equal "its figures are inside" 1 "$([ "$out" -ge 6 ] && echo 1)"
run "$THRONG" summary s
check_contains "Markdown is what it prints" "$out" "| rank | trial | loss | lr | act | time |"
check_contains "with the study file" "$out" "    method: random"
check_contains "and how to do it again" "$out" "throng run study.yaml --new s-again"
run "$THRONG" summary s s -o two.md
check_equal "several studies are one page" 2 "$(grep -c '^# s$' two.md)"
cat >both.yaml <<'END'
name: both
command: 'echo "::throng error={x} cost=$((5 - {x}))"'
method: grid
metrics: [{name: error}, {name: cost}]
parameters:
  x: {values: [1, 2, 3]}
END
run "$THRONG" run both.yaml --quiet
run "$THRONG" summary both
check_contains "the best of two objectives is said to be of one" "$out" "| best | error 1, trial 1 |"
check_contains "and how many none beats" "$out" "| pareto | 3 trials that no other beats in every metric, which rank first, by error |"
# A commit with a change, and failures for two reasons.
mkdir kept
cat >kept/fails.yaml <<'END'
name: fails now
command: ["sh", "-c", "[ {x} != 1 ] || { echo 'a | <b> &amp; $1 ~~no~~' >&2; exit 1; }; [ {x} != 2 ] || exit 9; echo ::throng loss={x}"]
metric: {name: loss}
parameters: {x: {values: [1, 2, 3, 4]}, y: {values: [1, 2]}}
method: grid
END
git -C kept init -q . && git -C kept add -A &&
    git -C kept -c user.name=a -c user.email=a@b commit -q -m begin
commit=$(git -C kept rev-parse HEAD)
echo '# changed' >>kept/fails.yaml
(cd kept && "$THRONG" run fails.yaml --quiet >/dev/null 2>&1)
out=$(cd kept && "$THRONG" summary "fails now")
check_contains "a summary has the commit, and what was changed" "$out" \
    "| commit | $commit and 1 changed file (\\\`throng status 'fails now' --diff\\\`) |"
check_contains "and how to have that again" "$out" "git checkout $commit"
check_contains "by commands that can be pasted" "$out" "throng status 'fails now' --diff | git apply"
check_contains "failures stand in groups, their text as text" "$out" \
    '| 2 | failed | 1 | a \| \<b\> \&amp; \$1 \~\~no\~\~ |'
check_contains "each group once" "$out" "| 2 | failed | 2 |"
(cd kept && "$THRONG" summary "fails now" -o page.html 2>/dev/null)
check_contains "the same as HTML" "$(cat kept/page.html)" \
    '<td>a | &lt;b&gt; &amp;amp; $1 ~~no~~</td>'
{
    printf 'name: many\ncommand: echo "::throng loss={knob_1}"\nmethod: random\nrun_cap: 12\n'
    printf 'seed: 1\nmetric: {name: loss}\nparameters:\n'
    seq 40 | sed 's/.*/  knob_&: {min: 0.0, max: 1.0}/'
} >many.yaml
run "$THRONG" run many.yaml --quiet
for size in 80x24 80x10; do
    run "$THRONG" plot importance many --size $size
    left=$(printf '%s\n' "$out" | sed -n 's/^not drawn, for want of room: \([0-9]*\) less important/\1/p')
    check_equal "each bar has its name, the others are counted: $size" 40 \
        "$((left + $(printf '%s\n' "$out" | grep -c '^ *knob_')))"
done
run "$THRONG" summary s -o page.txt
check_status "another ending is refused" 2
run "$THRONG" summary nosuch -o x.html
check_status "a study that is none is named" 4
check_lacks "and nothing is written" "$(ls)" x.html

# Values and metrics of any kind stay valid XML, and obey nothing.
python3 - <<'END'
import json
odd = ["p<0>&\"'", "\u202eright", "a\u001b[31m", "]]>", "{lr}", "\u540d" * 3, "w" * 500]
with open("odd.jsonl", "w") as f:
    for i in range(30):
        f.write(json.dumps({"a": odd[i % 7], "b": odd[i % 5], "x": i % 4, "y": i}) + "\n")
END
cat >odd.yaml <<'END'
name: odd
command: [sh, -c, 'throng report "<a>&=$THRONG_TRIAL"']
metric: {name: "<a>&"}
points: odd.jsonl
END
"$THRONG" run -q odd.yaml
for kind in history curves slice contour parallel heat load gantt matrix; do
    run "$THRONG" plot $kind odd -o odd.svg
    check_status "$kind of odd values is drawn" 0
    run valid odd.svg
    check_status "as valid XML" 0
done
run "$THRONG" summary odd -o odd.html
run valid odd.html
check_status "so is their summary" 0

cat >campaign.yaml <<'END'
name: c
stages:
  search: {study: study.yaml, run_cap: 4}
  report: {summary: [search], output: report.html}
END
run "$THRONG" run campaign.yaml
check_status "a campaign ends with a page" 0
run valid report.html
check_status "about its stages" 0

# A trial that lacks a parameter has no place in a figure over it.
cat >some.yaml <<'EOF'
name: some
command: [sh, -c, 'throng report loss=$THRONG_TRIAL']
metric: {name: loss}
points: [{a: 1, b: 10}, {a: 1, b: 20}, {a: 1, b: 30}, {a: 5}, {a: 5}]
EOF
"$THRONG" run -q some.yaml
run "$THRONG" plot heat some --x a --y b --data
check_contains "who lacks a parameter is in no cell" "$out" "5,20,0,"
