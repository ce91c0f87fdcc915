"""Other libraries that carry the native format."""
