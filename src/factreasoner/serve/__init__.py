"""The HTTP service of `factreasoner serve`.

The layers, from the wire inwards: `server` (sockets and signals), `app` (access, routes and errors), `queue`
(threads, and waiting requests), `answers` (one record to one reply).
"""
