"""Small tools: threads, signals, text files, and the folders in which files are."""
