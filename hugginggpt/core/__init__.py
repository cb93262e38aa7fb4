"""The data model: plans, tasks, results, events and errors. No files, no network, no third-party packages."""
