"""Training of the offline planner; planning imports nothing from here."""
