"""The model server: its models, their memory management, and the wire format."""
