"""The calls that carry out an experiment: one scenario, a sweep, a comparison."""
