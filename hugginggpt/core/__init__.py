"""Plans, tasks, results, events and errors: what everything else speaks of. No files, no network, no third party."""
