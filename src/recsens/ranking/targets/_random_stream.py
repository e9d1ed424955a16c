"""The random stream from which target items are sampled."""

from recsens.seeds import Origin, Stream


def target_stream(origin: Origin) -> Stream:
    """Return the stream from which target items are sampled.

    Its name does not include the choice of targets, so AR and 1R sample the same items for a user, and the values of one bound the
    other's (Bellogín 2012, lemma of section 4.3.4).
    """
    return origin.stream("targets", origin.fold)
