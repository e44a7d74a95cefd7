"""accuracy_torch.py - the PyTorch side of bench/accuracy's sms

    accuracy_torch.py FOLDER SEED NUMBERS

Trains on FOLDER/train.csv and prints, for each row of FOLDER/test.csv, its
class and the one predicted. NUMBERS (JSON) are those of the other side; words,
their numbers, padding and first weights of the embedding are as throng has
them.
"""

import collections
import csv
import json
import re
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

torch.set_num_threads(1)
CLASSES = ["ham", "spam"]
LETTERS = "[A-Za-z0-9\x80-\U0010ffff]+"
WORD = re.compile("%s(?:'%s)*" % (LETTERS, LETTERS))


class Messages(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.embedding = nn.Embedding(n["vocabulary"], n["embedding"],
                                      padding_idx=0)
        nn.init.uniform_(self.embedding.weight, -0.05, 0.05)
        self.lstm = nn.LSTM(n["embedding"], n["units"], batch_first=True,
                            bidirectional=True)
        self.out = nn.Linear(2 * n["units"], 2)

    def forward(self, x):
        lengths = (x > 0).sum(1).clamp(min=1)
        packed = pack_padded_sequence(self.embedding(x), lengths,
                                      batch_first=True, enforce_sorted=False)
        _, (hidden, _) = self.lstm(packed)
        return self.out(torch.cat([hidden[0], hidden[1]], 1))


def read(path):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    words = [WORD.findall(row["text"].lower()) for row in rows]
    return words, torch.tensor([CLASSES.index(row["kind"]) for row in rows])


def tokens(texts, numbers, length):
    x = torch.zeros(len(texts), length, dtype=torch.long)
    for i, text in enumerate(texts):
        for k, word in enumerate(text[:length]):
            x[i, k] = numbers.get(word, 1)
    return x


def main():
    folder, seed, n = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
    torch.manual_seed(seed)
    texts, y = read(folder + "/train.csv")
    counts = collections.Counter(word for text in texts for word in text)
    known = sorted(counts, key=lambda word: (-counts[word], word))
    numbers = {word: i + 2
               for i, word in enumerate(known[:n["vocabulary"] - 2])}
    x = tokens(texts, numbers, n["length"])
    model = Messages(n)
    steps = torch.optim.Adam(model.parameters(), lr=n["lr"])
    for _ in range(n["epochs"]):
        order = torch.randperm(len(x))
        for i in range(0, len(order), n["batch"]):
            at = order[i:i + n["batch"]]
            steps.zero_grad()
            F.cross_entropy(model(x[at]), y[at]).backward()
            steps.step()
    model.eval()
    texts, y = read(folder + "/test.csv")
    with torch.no_grad():
        got = model(tokens(texts, numbers, n["length"])).argmax(1)
    for truth, guess in zip(y, got):
        print(CLASSES[truth], CLASSES[guess])


if __name__ == "__main__":
    main()
