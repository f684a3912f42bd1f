"""The pieces of the screen: each draws itself and tells what was done to it."""
