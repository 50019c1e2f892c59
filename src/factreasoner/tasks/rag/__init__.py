"""Claim-level metrics of retrieval-augmented generation: where does a system lose or invent?"""
