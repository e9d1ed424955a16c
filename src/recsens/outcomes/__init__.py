"""Outcomes: users' measures turned into the value of each system and the comparison of each pair."""
