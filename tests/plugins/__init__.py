"""A package that adds to the project, and checks that what it brings is used."""
