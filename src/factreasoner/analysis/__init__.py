"""What finished runs tell: evaluation, comparison, rules to keep, explanations."""
