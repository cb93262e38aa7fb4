"""Packages that add to the project, and the tests that install and use them."""
