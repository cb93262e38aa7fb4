"""All files and URLs that enter or leave: types, the store, references in texts, drawing, tables."""
