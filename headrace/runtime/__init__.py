"""What runs plans: sessions and their state, values at the edges, random streams."""
