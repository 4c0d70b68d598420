"""Organisations: accounts that nobody logs in to, for which their members act.

An organisation is the subject of plan, quota, payments, API keys, connections and imports, as a person's
account is. So nothing of those knows organisations: whoever acts for one is counted on its account.
"""
