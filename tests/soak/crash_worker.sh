#!/usr/bin/env bash
# The long form of tests/cli/crash_worker.sh: hundreds of kills.
# timeout: 1800
CRASHES=${CRASHES:-300} exec bash "$(dirname "$0")/../cli/crash_worker.sh"
