"""How settings are declared and read; each part has its own in its settings.py."""
