"""Evidence from the user's documents: files into a Chroma store, passages by words and vectors."""
