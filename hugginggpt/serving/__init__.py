"""The model server: which models there are, how they share the memory, and the wire format."""
