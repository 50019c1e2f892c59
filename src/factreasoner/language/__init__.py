"""Text as language: sentence borders, function words, stems; what stages, judges and retrieval share."""
