"""Recipes as YAML: data of the package, found by name."""
