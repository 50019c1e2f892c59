"""How settings are declared and read; each part has its own settings.py."""
