"""Who wins, under which designs."""
