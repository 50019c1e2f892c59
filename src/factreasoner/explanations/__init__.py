"""Why an atom has the posterior it has: which contexts moved it, and which disagree."""
