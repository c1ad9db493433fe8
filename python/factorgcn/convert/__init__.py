"""Graphs from and to what other packages keep them in, a file for each; none is imported before it is used."""
