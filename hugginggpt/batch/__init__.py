"""One plan over many files: the rows, the workers that run the plan for each, the journal, the table of results."""
