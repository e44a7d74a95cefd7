"""python3 -m throng.emews ALGORITHM [SETTINGS]"""

import sys

from .bridge import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
