"""Runs in object stores: requests, what is kept of their answers, a folder that many share."""
