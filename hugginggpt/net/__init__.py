"""HTTP within bounds: sizes, seconds, public addresses, files served."""
