"""Where expert models run. One protocol, `base.Endpoint`; one module a place."""
