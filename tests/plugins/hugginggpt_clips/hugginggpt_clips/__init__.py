"""Says whether anything moves in a video: a task type, an expert and an endpoint for HuggingGPT."""
