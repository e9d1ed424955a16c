"""Append: items without a score are added at the end of the ranking."""

from recsens.ranking.nc._base import Filling


class Append(Filling):
    """Append items without a score below all scored items, in the order of another recommender.

    ``append(by=random)``, ``append(by=popularity)`` and ``append(by=average_rating)`` are the policies of the paper; any other
    recommender can be given. The other recommender is fitted on the same train set. Items that it cannot score either are left out.
    With ``users=without_train``, items are appended only for users without train ratings, whom a personalised system cannot serve.
    """

    source = "Cañamares, Castells & Moffat (2020), sections 3.4 and 4.6; section 3.3 for users=without_train"
    also_called = ("fallback", "fill")

    def prose(self) -> str:
        """Name the order, and the users whose rankings were filled up."""
        by = self.with_file_names(self.full_spec).get("by")
        order = "in random order" if self.by.name == "random" else f"in the order of the recommender {by}"
        whom = " for users without training ratings, and left out for all others" if self.users == "without_train" else ""
        return f"Items that a system cannot score were appended to its ranking {order}{whom}."
