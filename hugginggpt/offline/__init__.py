"""A planner and a responder that need no language model."""
