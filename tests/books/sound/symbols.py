"""The symbols of a small sound book."""

from symroof import LENGTHS, POSITIVE, symbol

n = symbol("rank", "ranks of the run", latex="n")
work = symbol("FLOP", "work of a step", latex="W", domain=POSITIVE)
peak = symbol("FLOP/s", "peak of a rank", latex=r"\pi_{\mathrm{peak}}", domain=POSITIVE)
size = symbol("byte", "bytes of a step")
bandwidth = symbol("byte@hbm/s", "bandwidth of the memory", domain=POSITIVE)
context = symbol("token", "tokens of a row")
length = symbol("token", "length of each document, where all are equal")
lengths = symbol("token", "lengths of the documents", domain=LENGTHS, instead=lambda length, context: (length, context / length))
hop = symbol("stage", "which hop")
