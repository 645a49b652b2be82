"""Games: the rules, one file a game, and the contract that they meet. Pure and deterministic."""
