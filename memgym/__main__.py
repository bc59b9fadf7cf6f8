"""``python -m memgym``: the same command line as ``memgym``."""

from memgym.cli import main

if __name__ == "__main__":
    main()
