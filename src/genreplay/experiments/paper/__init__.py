"""The paper's experiments: one file for each table, figure or measurement, and its claims."""
