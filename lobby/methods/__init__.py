"""The methods of the wire, one module a namespace: each turns a request's fields into a call of the part that knows."""
