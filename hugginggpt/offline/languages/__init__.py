"""Requests in other languages than English: their language, tasks and questions, read into the planner's typed values.

What a language needs is data: phrases for each task (data/planner/phrases.de.txt), of which a linear head learns, and
words for objects, numbers, negation and the like (words.de.txt). Nothing is translated into an English sentence.
"""
