"""The demo: its repository, its issue, its script and the run that shows them."""
