#!/usr/bin/env python3
"""Packs the Python package into one file that throng-worker carries.

usage: pack.py FOLDER PACK ASSEMBLY DEPFILE

Each file becomes <path relative to FOLDER>, a line feed, its size, a line
feed, its bytes. The assembly puts the pack into the program's constants. The
depfile makes the build notice changed, added and removed files.
"""
import os
import sys


def files_below(folder):
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        yield here, None
        for name in sorted(names):
            if not name.endswith(".pyc"):
                yield here, os.path.join(here, name)


def main(folder, pack, assembly, depfile):
    seen = []
    with open(pack, "wb") as out:
        for here, path in files_below(folder):
            seen.append(path or here)
            if path:
                with open(path, "rb") as file:
                    data = file.read()
                name = os.path.relpath(path, folder).encode()
                out.write(name + b"\n%d\n" % len(data) + data)
    with open(assembly, "w") as out:
        out.write(
            "    .section .rodata\n"
            "    .global worker_python_pack\n"
            "    .global worker_python_pack_end\n"
            "worker_python_pack:\n"
            f'    .incbin "{os.path.abspath(pack)}"\n'
            "worker_python_pack_end:\n"
            "    .byte 0\n"
            '    .section .note.GNU-stack,"",%progbits\n'
        )
    with open(depfile, "w") as out:
        names = " ".join(p.replace(" ", "\\ ") for p in seen)
        out.write(f"{assembly}: {names}\n")


main(*sys.argv[1:])
