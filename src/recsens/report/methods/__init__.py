"""The methods paragraph: what a study did, in prose that a paper can take over."""
