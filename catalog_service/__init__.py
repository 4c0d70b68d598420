"""The catalog service: sponsors, youtubers, videos and the sponsorships that link them."""
