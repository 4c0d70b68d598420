"""The use cases and rules of the site: sessions, forms, mails and consents."""
