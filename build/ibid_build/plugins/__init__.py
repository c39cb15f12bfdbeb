"""Documentation generators that build Ibid with the site: one line in their configuration."""
