"""Code shared by recommenders that sum the ratings of neighbours as RankSys does."""

from typing import ClassVar, Literal

from pydantic import Field
from scipy.sparse import csr_array

from recsens.recommenders import Extent, Recommender
from recsens.recommenders._neighbour_blocks import Neighbours
from recsens.recommenders._neighbourhoods import Similarity, bytes_of_neighbours, claim_neighbours, nearest_rows
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference
from recsens.recommenders._rows import Rows

_BYTES_OF_WEIGHT = 8
"""Bytes of a neighbour's weight, which is stored in addition to the similarity."""


class WeightedSum(Recommender):
    """Neighbours by the similarity of ratings, and their weights."""

    n_threads = 2
    by: ClassVar[Literal["users", "items"]] = "users"
    """Whether the neighbours of users or those of items are found."""

    k: int = Field(100, ge=1, le=10_000, description="number of neighbours")
    similarity: Similarity = Field(
        "cosine", description="similarity measure; it compares rating vectors, or sets of rated items or of raters"
    )
    alpha: float = Field(0.5, ge=0, le=1, description="asymmetry α of cosine and set_cosine; 0.5 is symmetric")
    overlap: int = Field(1, ge=1, le=10_000, description="minimum number of ratings that neighbours have in common")
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)
    q: int = Field(1, ge=0, le=20, description="exponent of the similarity; 0 gives all neighbours the same weight")

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes needed for the neighbours and their weights."""
        return bytes_of_neighbours(getattr(extent, self.by), self.k, bytes_beside=_BYTES_OF_WEIGHT)

    def _neighbours(self, matrix: csr_array) -> Neighbours:
        """Return the k nearest rows of every row, with sim^q as their weights."""
        claim_neighbours(self, matrix.shape[0], self.k, bytes_beside=_BYTES_OF_WEIGHT)
        rows, columns = Rows.of(matrix), Rows.of_columns(matrix)
        indptr, neighbours, similarities = nearest_rows(
            rows, columns, self.k, self.similarity, alpha=self.alpha, overlap=self.overlap
        )
        return indptr, neighbours, similarities**self.q
