"""The authorization server: Authlib's grants and endpoints with the rules of `domain.oauth`.

Authlib is synchronous, and so is this package; `auth_service.web` runs it in threads.
"""
