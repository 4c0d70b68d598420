"""Features that can only speak for a sponsor, and those that can only speak against one.

What is known of every language and channel need not be learnt from a few: a promo code beside a brand never makes it less
likely to be a sponsor. Trees that keep to these directions hold better on channels that they have not seen.
"""

from typing import Final, Literal

Direction = Literal[-1, 0, 1]

_FOR: Final = frozenset(
    """
    item:action item:affiliate_note item:benefit item:benefit_near item:brand_in_path item:code item:code_named item:code_near
    item:early item:imperative item:initials item:listed item:named_path item:named_query item:referral item:referral_near
    item:starred item:top item:topic_affiliate item:topic_sponsors item:tracked
    name:creator_ads name:early name:known name:top text:marked
    """.split()
)

_AGAINST: Final = frozenset(
    """
    item:charity item:contact item:credits item:government item:market item:media item:own item:own_link item:platform_code
    item:subscribing item:topic_credits item:topic_gear item:topic_music item:topic_own item:topic_social
    name:ambiguous name:generic name:own name:platform subject:channel subject:works text:channel_media
    """.split()
)

_FAMILIES_FOR: Final = ("claim:", "rule:")


def direction_of(feature: str) -> Direction:
    """Return 1 when a feature can only raise the probability, -1 when it can only lower it, else 0."""
    if feature in _FOR or feature.startswith(_FAMILIES_FOR):
        return 1
    return -1 if feature in _AGAINST else 0
