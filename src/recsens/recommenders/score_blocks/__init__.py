"""The scores in a score file for a block of users; recsens's own kernels compute products and sums."""

from recsens.recommenders.score_blocks._blocks import block_of

__all__ = ["block_of"]
