#!/usr/bin/env bash
# walk.py, which does what the pages say: it sees what differs, and what may.
. "$(dirname "$0")/lib.sh"

walk() { run python3 "$ROOT/tests/cli/walk.py" "$@" page.md; }

page() { # BODY: of a console block
    printf '# A page\n\n```console%s\n%s\n```\n' "${2:-}" "$1" >page.md
}

page '$ echo one; echo two
one
two'
walk
check_status "a page that is right passes" 0

page '$ echo one; echo two
one'
walk
check_status "a line that is not on the page is seen" 1
check_contains "and shown" "$out" "two"

page '$ echo one
one
two'
walk
check_status "a line that is not printed is seen" 1

page '$ false'
walk
check_status "a command that fails is seen" 1

page '$ sh -c "exit 3"' ' status=3'
walk
check_status "unless the page says so" 0

page '$ echo 3/3 done in 1.5s; echo a 17 b; echo x; echo y
3/3 done in 12ms
a … b
…'
walk
check_status "times may differ, and what the page leaves out" 0

page '$ echo "the process"; echo "12 has ended"; echo "after 3 trials"
the process 4711
has ended after 3 trials'
walk
check_status "a long line may break at another word" 0
page '$ echo "the process"; echo "12 has ended"; echo "after 3 trials"
the process 4711
has ended after 4 trials'
walk
check_status "but says the same words" 1

page '$ printf "10 %%\\r\\033[K20 %%\\r\\033[Kdone\\n"
done
$ test -t 1 && tput cols
80'
walk
check_status "a terminal of 80 columns shows what is left on it" 0

page '$ cd /; x=5; sleep 60 &
$ echo $PWD $x; kill $!
/ 5'
walk
check_status "folder, variables and jobs stay from command to command" 0

printf '```sh file=a.sh\necho hello\n```\n<!-- run: test -e a.sh -->\n' >page.md
printf '```console\n$ sh a.sh\nhello\n$ pwd\n/home/ann\n```\n' >>page.md
printf '```console build\n$ false\n```\n' >>page.md
walk
check_status "files are written, in a folder of its own" 0
walk --build
check_status "what takes long is done only when asked for" 1

printf '<!-- unless: true -->\n```console\n$ false\n```\n' >page.md
walk
check_contains "a page may be for other machines" "$out" "# SKIP \`true\` succeeds here"
printf '<!-- unless: false -->\n```console\n$ false\n```\n' >page.md
walk
check_status "or for this one" 1
printf '<!-- needs: no-such-program -->\n```console\n$ false\n```\n' >page.md
walk
check_status "a page is skipped where a program is missing" 0
check_contains "with the reason" "$out" "SKIP no-such-program is not installed"

page '$ echo new 5ms
old
$ echo 12ms
15ms'
walk --update
check_status "--update corrects a page" 0
check_equal "only where it is wrong" '# A page

```console
$ echo new 5ms
new 5ms
$ echo 12ms
15ms
```' "$(cat page.md)"
page '$ false
old'
walk --update
check_status "but never with what a failed command says" 1
check_contains "which leaves the page as it was" "$(cat page.md)" "old"
