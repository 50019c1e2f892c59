"""The scores of a finished run, sent to where the traces of its answers are kept."""
