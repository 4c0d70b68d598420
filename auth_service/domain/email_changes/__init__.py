"""Changes of an account's e-mail address, confirmed at the old and the new one."""
