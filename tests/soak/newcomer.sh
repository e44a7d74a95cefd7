#!/usr/bin/env bash
# From `git clone` to the ranking of one's own study, by the README alone: what
# is committed is cloned, built and installed as a newcomer would do it.
# timeout: 3600
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/cli/walk.py --build README.md
