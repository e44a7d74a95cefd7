"""A trial whose work is done by another process: that of wandb.agent.

    python3 -m throng.in_process

hands the trial's variables over through the socket that AGENT names, waits
until the function has run there, and ends with the status that comes back.
"""

import json
import os
import socket
import sys

AGENT = "WANDB_THRONG_AGENT"


def main():
    path = os.environ.get(AGENT)
    if not path:
        sys.stderr.write("the trials of this study run in the script that "
                         "calls wandb.agent: call it there to go on\n")
        return 1
    mine = {name: value for name, value in os.environ.items()
            if name.startswith("THRONG_")}
    with socket.socket(socket.AF_UNIX) as agent:
        agent.connect(path)
        agent.sendall(json.dumps(mine).encode() + b"\n")
        said = agent.makefile().readline().strip()
    if not said:
        sys.stderr.write("the script that calls wandb.agent has ended\n")
    return int(said or 1)


if __name__ == "__main__":
    sys.exit(main())
