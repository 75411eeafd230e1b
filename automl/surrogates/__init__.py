"""Models that predict losses and diversities of configurations not yet evaluated."""
