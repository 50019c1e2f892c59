"""Language models: one protocol, the litellm client, call forms, batches, a scripted double."""
