"""`python -m factreasoner`."""

from factreasoner.cli import main

main()
