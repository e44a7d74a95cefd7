#!/usr/bin/env bash
# The how-to and explanation pages: what they say to do works, and shows what
# they say it does. walk.py tells how; with --update it corrects what pages show.
# timeout: 400
# thorough: every page, and one of them needs R
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/cli/walk.py "$@" docs/how-to/*.md docs/explanation/*.md \
    docs/reference/data.md
