"""Credit: which entry, or which operation, earned a reward. Found by playing an episode again without it."""
