"""What the runs of DivBO's study say: tables and figures like those of the paper."""
