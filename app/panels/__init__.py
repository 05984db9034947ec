"""The panels around the views: data, method, cost, jobs."""
