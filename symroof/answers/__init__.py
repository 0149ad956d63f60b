"""Answers of the command line, one file each command: from the request to plain data, and from there to a terminal's text.

`shapes.py` has every JSON shape; `answer.py` what an answer is and how a request finds its point of the book.
"""
