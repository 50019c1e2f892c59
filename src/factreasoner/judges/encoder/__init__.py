"""Verifiers: models made to decide whether a passage supports a claim, each described by one adapter."""

from factreasoner.judges.encoder.judge import VerifierJudge

__all__ = ["VerifierJudge"]
