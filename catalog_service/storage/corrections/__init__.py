"""Reports of sponsorships, their review and its log."""
