"""Judges: does a premise entail or contradict a claim?"""
