"""Bills and how people share them."""
