"""Answers checked while they are asked for: the HTTP service of `factreasoner serve`.

The layers, from the wire inwards: `server` (sockets and signals), `access` (who may ask), `app` (routes and
errors), `crew` (the queue, processes and threads), `answering` (one record to one reply).
"""
