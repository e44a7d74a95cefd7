#!/usr/bin/env python3
"""Writes a file as a C array.

usage: embed.py FILE NAME OUTPUT

The output defines `const unsigned char NAME[]` and `const size_t NAME_len`.
"""
import sys


def main(file, name, output):
    with open(file, "rb") as f:
        data = f.read()
    with open(output, "w") as out:
        out.write("#include <stddef.h>\n")
        out.write(f"extern const unsigned char {name}[];\n")
        out.write(f"extern const size_t {name}_len;\n")
        out.write(f"const size_t {name}_len = {len(data)};\n")
        out.write(f"const unsigned char {name}[] = {{\n")
        for i in range(0, len(data), 16):
            out.write(",".join(str(b) for b in data[i:i + 16]) + ",\n")
        out.write("};\n")


main(*sys.argv[1:])
