"""The page of ``genreplay view``: a scored stream, its alarms in words, and its columns beside the model's dreams."""
