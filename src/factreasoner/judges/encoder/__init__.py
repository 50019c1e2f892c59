"""Verifiers: models made to tell whether a passage supports a claim, each described by one adapter record."""

from factreasoner.judges.encoder.judge import VerifierJudge

__all__ = ["VerifierJudge"]
