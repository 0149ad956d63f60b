"""The symbols of a small book that uses everything the engine knows."""

from symroof import LENGTHS, POSITIVE, SHARE, SWITCH, TALLY, symbol

members = symbol("expert", "members of all groups", latex="m")
groups = symbol("rank", "groups", latex="g")
chosen = symbol("expert", "members that a parcel goes to", latex="k")
side = symbol("channel", "side of a parcel", latex="s")
spare = symbol("rank", "groups that stand by", domain=TALLY)
kept = symbol("1", "1 where a copy is kept", domain=SWITCH)
share = symbol("1", "share of the speed that is reached", domain=SHARE)
size = symbol("byte", "size of a parcel")
near_speed = symbol("byte@nvlink/s", "speed between neighbours", domain=POSITIVE)
far_speed = symbol("byte@scaleout/s", "speed between towns", domain=POSITIVE)
hop = symbol("hop", "which hop")
street = symbol("token", "length of a street")
house = symbol("token", "width of each house, where all are equal")
houses = symbol(
    "token", "widths of the houses of a street", domain=LENGTHS, instead=lambda house, street: (house, street / house)
)
