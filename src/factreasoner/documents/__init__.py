"""Documents: the text of HTML, Markdown, PDF and office files, from their bytes."""
