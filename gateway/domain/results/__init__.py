"""The published shapes of answers.

The text beside a field is its description in the tool's output schema. Fields have the names of the
catalog's messages, from which the answers are filled.
"""
