"""The bundled judge: a small network over passage windows, and its last layer."""
