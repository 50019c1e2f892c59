"""Read user input: JSON lines, tables, other column names, labels; checked before any cost."""
