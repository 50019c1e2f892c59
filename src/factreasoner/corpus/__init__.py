"""Evidence from the user's own documents: files into a Chroma store, passages out by words and by meaning."""
