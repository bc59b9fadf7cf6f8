"""Memory systems assembled from parts: five stages with data contracts, and the agent that plays them."""
