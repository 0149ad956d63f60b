"""Counts

How many of everything there are.
"""

from symroof import (
    REAL,
    argument,
    binomial,
    ceiling,
    constraint,
    convention,
    divides,
    equal,
    floor,
    quantity,
    total,
    total_range,
    where,
)

weighing = convention(
    "what is weighed", default="all", ref="a choice of this book", all="every member", held="the members of one group"
)


@quantity("expert/rank", latex="h", ref="members are spread evenly")
def held(members, groups):
    """Members of a group."""
    return members / groups


@quantity("1", ref="hypergeometric", assumes="uniform choice")
def missed(members, held, chosen):
    """Chance that a group is not among those chosen."""
    return binomial(members - held, chosen) / binomial(members, chosen)


@quantity("rank", ref="linearity of expectation")
def reached(groups, missed):
    """Groups that a parcel reaches."""
    return groups * (1 - missed)


@quantity("1", ref="whole rounds")
def rounds(members, side):
    """Rounds of deliveries."""
    return ceiling(members / side)


@quantity("block", ref="a block every two rounds")
def blocks(hop, rounds):
    """Blocks that lie behind a hop."""
    return floor(hop * rounds / 2)


@quantity("byte", ref="one parcel and its blocks")
def packet(size, blocks):
    """Bytes of a hop."""
    return size * (1 + blocks)


@quantity("byte", ref="sum over hops")
def packets(groups, packet):
    """Bytes of all hops."""
    return total_range(1, groups - 1, lambda hop: packet(hop=hop))


@quantity("byte", ref="the hop into the last group; alone, there is none")
def last_packet(groups, packet):
    """Bytes of the last hop."""
    return where(groups > 1, packet(hop=groups - 1), 0)


@quantity("byte", ref="the two last hops")
def two_packets(groups, packet):
    """Bytes of the two last hops."""
    return packet(hop=groups) + packet(hop=groups + 1)


@quantity("token", ref="weighted by width")
def mean_house(houses):
    """Mean width of a house as a token sees it."""
    return total(houses, lambda width: width * width) / total(houses, lambda width: width)


@quantity("expert", ref="by convention")
def weight(weighing, members, held):
    """What is weighed."""
    return weighing.choose(held=held, all=members)


@quantity("1", ref="arithmetic", domain=REAL)
def gap(groups, chosen):
    """A quantity that has no value where groups and chosen are equal."""
    return 1 / (groups - chosen)


@argument("channel", ref="a square by default")
def breadth(side):
    """Breadth of a parcel."""
    return side


@quantity("1", ref="geometry")
def area(side, breadth):
    """Area of a parcel."""
    return side * breadth


@constraint
def groups_divide_members(groups, members):
    """Groups have equally many members."""
    return divides(groups, members)


@constraint
def few_are_chosen(chosen, members):
    """No more are chosen than there are."""
    return chosen <= members


@constraint
def houses_fill_the_street(houses, street):
    """The houses of a street fill it."""
    return equal(total(houses, lambda width: width), street)


@constraint
def whole_houses(houses):
    """A street has a whole number of houses."""
    return divides(1, total(houses, lambda width: 1))
