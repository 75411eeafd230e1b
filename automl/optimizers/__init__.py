"""What to try next: functions of the history and a generator."""
