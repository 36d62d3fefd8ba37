"""What estimators take and give where their models are served."""
