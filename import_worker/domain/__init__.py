"""What an import finds out: sponsors, youtubers, videos and the sponsorships in them."""
