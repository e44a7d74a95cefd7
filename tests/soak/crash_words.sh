#!/usr/bin/env bash
# The long form of tests/cli/crash_words.sh: hundreds of kills.
# timeout: 3600
CRASHES=${CRASHES:-500} exec bash "$(dirname "$0")/../cli/crash_words.sh"
