"""How good the findings are: runs with planted troubles, and what is found of them. `make insight-report`."""
