"""Small programs with known answers, exported by PyTorch."""
