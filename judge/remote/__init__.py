"""A grader of its own: a process with the sandbox but without database or port, which web servers reach by a socket."""
