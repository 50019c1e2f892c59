"""Make atoms of an answer: atomizers, revisers, and what they exclude."""
