"""One short function a rule: read, call one plug-in or computation, write."""
