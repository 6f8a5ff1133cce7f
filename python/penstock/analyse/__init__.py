"""Results of an experiment as tables, metrics, and their estimates."""
