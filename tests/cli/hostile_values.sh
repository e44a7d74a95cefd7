#!/usr/bin/env bash
# Values that want to be code: a shell of a command never runs them, wherever
# they come from.
. "$(dirname "$0")/lib.sh"

cat >points.csv <<'END'
x
$(touch pwned)
`touch pwned`
a; touch pwned
' ; touch pwned ; '
"""; touch pwned ; """
it's
0.5
END
cat >study.yaml <<'END'
name: s
command:
  - sh
  - -c
  - |
    cat <<EOF >"$THRONG_OUTPUT/here"
    {x}
    EOF
    # don't {x}
    printf %s {x} >"$THRONG_OUTPUT/seen" # nor `{x}`
    throng report l=1
points: points.csv
metric: {name: l}
keep: all
END
run "$THRONG" check study.yaml
check_lacks "check has nothing to warn of" "$err" "warning"
run "$THRONG" run study.yaml
check_status "a study with hostile values runs" 0
check_equal "each program sees its value" \
    "$(python3 -c '
import csv
for row in csv.DictReader(open("points.csv")): print(row["x"])')" \
    "$(for i in 1 2 3 4 5 6 7; do
        cat .throng/s/trials/0/$i/output/seen && echo
    done)"
check_equal "also in a here-document" "$(cat .throng/s/trials/0/4/output/seen)" \
    "$(cat .throng/s/trials/0/4/output/here)"
run "$THRONG" add 'x=$(touch pwned) more'
run "$THRONG" run study.yaml
check_equal "so does that of an added point" '$(touch pwned) more' \
    "$(cat .throng/s/trials/0/8/output/seen)"
check_not "and none was run" test -e pwned

# A line to be pasted is safe, too.
"$THRONG" show s --command 3 >pasted
PATH=$THRONG_BUILD:$PATH sh pasted >/dev/null 2>&1
check_not "nor by the line that show prints" test -e pwned

cat >line.yaml <<'END'
name: line
command: sh -c 'echo "$(echo {x})" {x} "`echo {x}`"; throng report l=1'
points: points.csv
metric: {name: l}
END
run "$THRONG" run line.yaml
check_status "the script in a line is safe as well" 0
check_not "and runs nothing" test -e pwned

cat >nested.yaml <<'END'
name: nested
command: [sh, -c, "sh -c 'echo {x}' && throng report l=1"]
points: points.csv
metric: {name: l}
END
run "$THRONG" check nested.yaml
check_contains "check warns where another shell would take it for code" "$err" \
    "nested.yaml:2:10: warning: command: {x} stands in code for another shell"
check_contains "and says what to do" "$err" "THRONG_P_x"
run "$THRONG" run nested.yaml
check_equal "such values are invalid, harmless ones run" "6 1" \
    "$("$THRONG" export nested --json | grep -c '"state":"invalid"') $(
        "$THRONG" export nested --json | grep -c '"state":"done"')"
check_contains "and the reason is said" "$("$THRONG" errors nested)" \
    "would be taken for code by another shell"
check_not "and none of them was run" test -e pwned
