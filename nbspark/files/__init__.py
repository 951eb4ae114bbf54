"""One file protocol for local disks and for the session's Hadoop file systems, and the paths that a job may touch."""
