"""The owners of the user's data: columns, classes, folds, and the table on disk."""
