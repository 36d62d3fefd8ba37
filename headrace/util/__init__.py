"""What knows nothing of graphs: decorators, deprecation, logging, lazy loading, locks."""
