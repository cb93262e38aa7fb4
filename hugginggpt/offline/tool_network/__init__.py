"""The network that reads a request as a whole, for TaskBench's tools."""
