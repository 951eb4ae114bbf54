"""What kernels share: bytes of Arrow strings, runs, batches, packed numbers, codes of terms, exact moments."""
