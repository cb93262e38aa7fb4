"""Where expert models run: one protocol, `base.Endpoint`, and a module for each endpoint."""
