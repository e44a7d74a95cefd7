#!/bin/sh
# In a job by hand: unpacks the data, then trains with one learning rate.
set -e
mkdir -p data output
python3 -m zipfile -e points.zip data
exec python3 train.py --lr="$1" --checkpoint-dir=output
