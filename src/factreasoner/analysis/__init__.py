"""Analysis of finished runs: evaluation, comparison, rules, explanations."""
