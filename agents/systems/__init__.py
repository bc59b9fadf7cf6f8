"""Published memory systems, one file each: their parts, defaults, sources and deviations."""
