"""The GitHub Action: a thin entry point over jobs/, still to come."""
