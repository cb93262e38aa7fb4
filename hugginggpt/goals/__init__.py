"""The goal loop: thought, command and result until a goal is reached; bounded, resumable, with the person's leave.

`loop` is at its centre, a function of a state that is a fold over `events`; around it the `table` of commands and their
tools, the approval `policy`, the `journal`, the workspace, the sandbox and the web.
"""
