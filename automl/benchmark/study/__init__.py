"""The study of diversity-aware searches: its methods, its data sets and what it reports."""
