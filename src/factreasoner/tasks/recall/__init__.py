"""Factual recall: does the answer say what it should? (FaaF, arXiv 2403.03888)"""
