"""Writes a data set: make_data.py FILE [NOISE]"""
import csv
import math
import random
import sys

noise = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
random.seed(1)
with open(sys.argv[1], "w", newline="") as f:
    for i in range(60):
        x = i / 20 - 1.5
        y = math.sin(2 * x) + random.gauss(0, 1) * noise
        csv.writer(f).writerow(["%.6f" % x, "%.6f" % y])
