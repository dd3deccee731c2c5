"""The work: what a job does from its arrival on a worker to its receipt."""
