"""The pipeline of atomizer, reviser, retriever and evaluator; and rescoring."""
