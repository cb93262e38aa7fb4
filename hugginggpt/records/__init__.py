"""What is kept of runs, and going on from it."""
