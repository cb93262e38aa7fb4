"""Running one model on this machine: a module a modality, and `registry` to find them by task.

An expert is a plain function of the task's arguments (texts as str, files as checked paths) that returns
what Hugging Face's task would: text, lists of labels or boxes, a PIL picture, the bytes of a WAV file.
Heavy packages are imported inside the functions, so that asking what there is costs nothing.
"""
