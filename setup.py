"""Maps the four wings beside the hall into the ``memgym`` package; packages are found, never listed by hand."""

from setuptools import find_packages, setup

WINGS = ("envs", "agents", "eval", "train")

packages = find_packages(include=["memgym", "memgym.*"])
for wing in WINGS:
    packages += [f"memgym.{name}" for name in find_packages(include=[wing, f"{wing}.*"])]

setup(packages=packages, package_dir={f"memgym.{wing}": wing for wing in WINGS})
