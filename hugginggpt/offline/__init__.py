"""A planner and a responder that work without a language model."""
