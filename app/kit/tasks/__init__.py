"""Background work of views: threads, progress, caches."""
