"""What is called while a model trains."""
