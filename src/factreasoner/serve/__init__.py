"""Answers checked while they are asked for: the HTTP service of `factreasoner serve`.

The layers, from the wire inwards: `server` (sockets and signals), `app` (who may ask, routes and errors),
`queue` (threads, and who waits for one), `answers` (one record to one reply).
"""
