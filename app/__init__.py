"""The always-on part: receives deliveries, decides, queues and shows."""
