"""HTTP itself: routes, bytes on the wire, errors, streams, the page's files."""
