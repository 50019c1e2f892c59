"""Making atoms of an answer: atomizers, revisers, and what they leave out."""
