"""Carrying out runs: workers, pools, the order of tasks, the store of finished runs."""
