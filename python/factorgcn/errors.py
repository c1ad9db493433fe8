"""Errors of this package.

Wrong values arrive as ``ValueError``, wrong types as ``TypeError``, Ctrl-C as ``KeyboardInterrupt``; what goes wrong
with files, data and training arrives as :class:`Error`.
"""


class Error(RuntimeError):
    """Something other than an argument is wrong: a file, a data set, a run."""
