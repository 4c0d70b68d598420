"""What videos speak about, by the words of their titles and descriptions."""
