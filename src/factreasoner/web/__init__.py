"""Pages of hosts nobody vouches for: which may be fetched, what robots.txt says, and the text of them."""
