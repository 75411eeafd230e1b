"""The study of DivBO: its data, splits, methods and measurements."""
