"""The training of the embedded experts' small learned parts."""
