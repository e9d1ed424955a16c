"""The random stream that target items are sampled from."""

from recsens.seeds import Origin, Stream


def target_stream(origin: Origin) -> Stream:
    """Return the stream that target items are sampled from.

    Its name does not hold the choice of targets, so AR and 1R sample the same items for a user, and one bounds the other (Bellogín
    2012, lemma of section 4.3.4).
    """
    return origin.stream("targets", origin.fold)
