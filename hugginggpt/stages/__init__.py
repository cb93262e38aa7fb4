"""The four stages, what they share, and the parts they are made of."""
