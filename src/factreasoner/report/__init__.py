"""What people look at: the terminal, tables for documents and the page."""
