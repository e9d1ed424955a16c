"""The random stream from which target items are sampled."""

from recsens.seeds import Origin, Stream


def target_stream(origin: Origin) -> Stream:
    """Return the stream from which target items are sampled.

    Its name does not include the choice of targets. AR and 1R therefore sample the same items for a user, which is necessary for
    the bounds on 1R by AR (Bellogín 2012, lemma of section 4.3.4).
    """
    return origin.stream("targets", origin.fold)
