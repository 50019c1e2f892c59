"""Text: sentence borders, function words, stems; what atoms, judges and retrieval share."""
