"""The data that every other room uses: scenarios, bad input, files."""
