"""What a command runs in: Java, the Spark session, and failures told in one line."""
