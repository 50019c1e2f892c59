"""The pipeline: atomizer, reviser, retriever and evaluator, as settings name them; and solving again."""
