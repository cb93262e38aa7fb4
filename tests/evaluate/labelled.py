"""Labelled requests for tests, in the project's format and in TaskBench's."""

from __future__ import annotations

from typing import Any

from hugginggpt.testing import task

OWN = [
    {"id": "1", "request": "How many owls are in barn.jpg?", "plan": [task(0, "object-detection", image="barn.jpg")]},
    {"id": "2", "request": "Transcribe tape.mp3 and read the text aloud", "plan": [
        task(0, "automatic-speech-recognition", audio="tape.mp3"), task(1, "text-to-speech", [0], text="<GENERATED>-0")]},
    {"id": "3", "request": "Hello there", "plan": []},
    {"id": "4", "request": "Describe a.png and b.png", "plan": [
        task(0, "image-to-text", image="a.png"), task(1, "image-to-text", image="b.png")]},
    {"id": "5", "request": "read it to me", "history": [
        {"role": "user", "content": "Describe c.png"}, {"role": "assistant", "content": "A mill."}],
     "plan": [task(0, "image-to-text", image="c.png"), task(1, "text-to-speech", [0], text="<GENERATED>-0")]},
]  # fmt: skip
BENCH: list[dict[str, Any]] = [
    {"id": "a", "user_request": "Write down what is said in 'x.wav'.", "type": "single",
     "task_nodes": [{"task": "Automatic Speech Recognition", "arguments": ["x.wav"]}], "task_links": []},
    {"id": "b", "user_request": "Make the sky in 'x.jpg' red, then say in French what is on it.", "type": "chain",
     "task_nodes": [{"task": "Image-to-Text", "arguments": ["<node-1>"]},
                    {"task": "Image Editing", "arguments": ["x.jpg", "Make the sky red"]},
                    {"task": "Translation", "arguments": ["<node-0>"]}],
     "task_links": [{"source": "Image Editing", "target": "Image-to-Text"}, {"source": "Image-to-Text", "target": "Translation"}]},
    {"id": "c", "user_request": "Compare the texts in 'a.jpg' and 'b.png' with each other.", "type": "dag",
     "task_nodes": [{"task": "Image-to-Text", "arguments": ["a.jpg"]}, {"task": "Document Question Answering", "arguments": ["b.png", "What does it say?"]},
                    {"task": "Sentence Similarity", "arguments": ["<node-0>", "<node-1>"]}],
     "task_links": [{"source": "Image-to-Text", "target": "Sentence Similarity"}, {"source": "Document Question Answering", "target": "Sentence Similarity"}]},
    # as it is published: JSON strings, other names
    {"id": "d", "instruction": "Give me a video of 'a kite'", "n_tools": 1, "type": "single", "sampled_nodes": "[]",
     "tool_nodes": '[{"task": "Text-to-Video", "arguments": ["a kite"]}]', "tool_links": "[]"},
    # without arguments, and with a circle as in the source
    {"id": "e", "user_request": "Talk to me about 'x.wav'", "type": "dag", "task_nodes": [{"task": "Conversational"}, {"task": "Text-to-Speech"}],
     "task_links": [{"source": "Conversational", "target": "Text-to-Speech"}, {"source": "Text-to-Speech", "target": "Conversational"}]},
]  # fmt: skip
