"""What a run leaves for people: scores computed again from records, and pages that need no server and no network."""
