"""Parameters shared by several target-item selections."""

from typing import Annotated

from pydantic import Field

from recsens.ranking.targets._selection import Base, Draw, Negatives, Sampling, Shortage

Size = Annotated[int | None, Field(ge=1, description="number of sampled non-relevant items (NN), or null for all (AN)")]
Items = Annotated[
    Base, Field(description="the candidates, which are all items (AI), items with a test rating (TI), or items with a train rating")
]
Non = Annotated[
    Negatives,
    Field(description="the possible non-relevant targets, which are disliked test items and unrated items, or only unrated items"),
]
Drawn = Annotated[Draw, Field(description="whether the rankings of a user share one sample, or each rating gets a new one")]
Short = Annotated[
    Shortage,
    Field(description="what to do if a user has fewer than n items to draw from: take all of them, or refuse the data"),
]
Weighted = Annotated[Sampling, Field(description="whether items are sampled uniformly, or in proportion to their train ratings")]
