"""The symbols."""

from symroof import COUNT, LENGTHS, POSITIVE, symbol

EP = symbol("rank", "expert-parallel degree", latex=r"\mathrm{EP}")
top_k = symbol("expert", "experts that a token is sent to", latex="k")
context = symbol("token", "tokens of a row", latex="S")
length = symbol("token", "length of each document", latex=r"\ell")
docs = symbol(
    "token",
    "lengths of the documents",
    latex=r"\mathrm{docs}",
    domain=LENGTHS,
    instead=lambda length, context: (length, context / length),
)
row_bytes = symbol("byte", "bytes of a row | of a token", domain=COUNT)
bandwidth = symbol("byte@nvlink/s", "NVLink bandwidth", latex=r"\beta", domain=POSITIVE)
stage = symbol("stage", "which hop", latex="s")
observed = symbol("s", "a time that somebody observed", latex=r"t_{\mathrm{obs}}", domain=POSITIVE)
