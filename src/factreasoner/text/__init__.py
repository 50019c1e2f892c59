"""Text processing shared by atoms, judges and retrieval: sentences, function words, stems."""
