"""Access tokens, API keys and the principals behind them."""
