"""Leagues: control schemes on several networks, under several kinds of traffic, on the same random numbers."""
