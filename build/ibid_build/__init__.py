"""What runs on the maintainer's machine: from a documentation tree to a folder to publish."""
