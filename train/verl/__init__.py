"""verl, the trainer: what of it is ours. Nothing here is imported before training starts."""
