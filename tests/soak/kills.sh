#!/usr/bin/env bash
# The long form of tests/cli/kills.sh: more than a thousand kills.
# timeout: 7200
KILLS=${KILLS:-1512} exec bash "$(dirname "$0")/../cli/kills.sh"
