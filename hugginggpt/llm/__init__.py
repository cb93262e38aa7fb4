"""Language models behind one small protocol, and what they are told."""
