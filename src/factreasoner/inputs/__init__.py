"""Reading what users bring: JSON lines, columns of other names, labels; checked before anything is spent."""
