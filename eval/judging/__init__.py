"""A chat model that says of each answer whether it is correct; its verdicts are kept, so that scores need it once."""
