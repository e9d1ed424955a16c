"""Score-file scores for a block of users, by the products and sums of recsens's own kernels."""

from recsens.recommenders.score_blocks._blocks import block_of

__all__ = ["block_of"]
