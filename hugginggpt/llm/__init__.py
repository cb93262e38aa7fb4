"""Language models behind one small protocol, and their prompts."""
