"""What the results say in words: the sentences of the verdict, each filled from the figures."""
