"""Outcomes: users' measures turned into a value for each system and a comparison for each pair."""
