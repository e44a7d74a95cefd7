#!/usr/bin/env bash
# The project's pages: what they link to is there
. "$(dirname "$0")/../cli/lib.sh"

cd "$ROOT" || exit 1

# The files that a page links to, relative to it, without anchors.
links() { # PAGE
    grep -o ']([^)]*)' "$1" | sed 's/^](//; s/)$//; s/#.*//' |
        grep -v -e '^[a-z]*:' -e '^$' | sort -u
}

while IFS= read -r page; do
    missing=
    for link in $(links "$page"); do
        [ -e "$(dirname "$page")/$link" ] || missing="$missing $link"
    done
    check_equal "$page links to what is there" "" "$missing"
done < <(find . \( -path './build*' -o -path './.*' -o -name node_modules \) \
    -prune -o -name '*.md' -print | sort)

for goal in $(sed -n 's/^make \([a-z]*\).*/\1/p' README.md | sort -u); do
    check "README's \`make $goal\` is a goal" grep -q "^$goal:" Makefile
done
for verb in $(sed -n 's/^throng \([a-z]*\).*/\1/p' README.md | sort -u); do
    check "README's \`throng $verb\` is a verb" "$THRONG" help "$verb"
done
