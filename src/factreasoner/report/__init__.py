"""What people look at: tables for documents, and figures."""
