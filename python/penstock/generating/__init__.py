"""Lines that change during the run, as parts of scenario files: satellites that pass, rain, and outages of a list."""
