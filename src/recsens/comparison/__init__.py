"""B1, C3, C4 and D: who is averaged, how users become a system's value, and how systems are tested against each other."""
