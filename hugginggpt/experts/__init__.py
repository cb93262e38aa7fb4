"""Experts: models that run on this machine, one module per modality; `registry` finds them by task.

An expert is a plain function of the task's arguments (texts as str, files as checked paths) that returns
what Hugging Face's task would: text, lists of labels or boxes, a PIL picture, the bytes of a WAV file.
Heavy packages are imported inside the functions, so that listing the experts is cheap.
"""
