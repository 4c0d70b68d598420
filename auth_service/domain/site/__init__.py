"""The site's rules: sessions, forms, mails and consents."""
