#!/usr/bin/env bash
# Every example: what its README says to do works, and shows what it says.
# walk.py tells how; with --update it corrects what pages show.
# timeout: 400
# thorough: every example
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/cli/walk.py "$@" examples/*/README.md
