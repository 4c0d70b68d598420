"""The authorization server on Authlib: its grants and endpoints, and what they need of our rules.

Authlib is synchronous and so is all of this; the HTTP face runs it in threads.
"""
