"""Language models: a protocol, the litellm client, call forms, batches, a scripted test double."""
