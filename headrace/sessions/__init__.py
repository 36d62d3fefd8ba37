"""Sessions that take care of themselves: monitored ones and their hooks, coordinators, queue runners, supervisors."""
