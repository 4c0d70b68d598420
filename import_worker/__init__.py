"""The import worker: channel-import jobs and the sponsorship detector."""
