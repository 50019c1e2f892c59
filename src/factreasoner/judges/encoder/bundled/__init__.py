"""The bundled judge: a small network that reads a claim with parts of a passage, and its last layer."""
