"""Language models: one protocol, the litellm client, call forms, cache, limits, usage, a scripted double."""
