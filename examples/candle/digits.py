"""Pictures of digits: a small font, moved about and covered with noise."""

import numpy as np

SIDE = 10
FONT = """
.###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...#
#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. ..##. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ....#
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .###.
"""


def glyphs():
    rows = [line.split() for line in FONT.strip().splitlines()]
    return [np.array([[c == '#' for c in row[digit]] for row in rows], float)
            for digit in range(10)]


def draw(count, noise, seed):
    """Pictures as rows of SIDE * SIDE numbers, and which digits they are."""
    random = np.random.RandomState(seed)
    shapes = glyphs()
    classes = random.randint(10, size=count)
    pictures = random.normal(0, noise, size=(count, SIDE, SIDE))
    for picture, digit in zip(pictures, classes):
        top, left = random.randint(1, 3), random.randint(2, 4)
        picture[top:top + 7, left:left + 5] += shapes[digit] \
            * random.uniform(0.6, 1)
    return pictures.reshape(count, -1), classes
