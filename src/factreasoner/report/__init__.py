"""What people look at: the terminal, tables for documents, figures and the page."""
