#!/usr/bin/env bash
# The tutorials and the README: what they say to do works, and shows what they
# say it does. walk.py tells how; with --update it corrects what pages show.
# timeout: 400
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/cli/walk.py "$@" docs/tutorial/*.md README.md
