"""Every file and URL in or out: the store, references to files, drawing, tables."""
