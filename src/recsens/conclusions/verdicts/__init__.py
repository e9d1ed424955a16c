"""Who wins, and under which designs."""
