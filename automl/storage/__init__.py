"""What a search leaves on disk: journal, predictions, models."""
