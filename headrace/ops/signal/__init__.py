"""Signal processing over the Fourier transforms: windows, frames, short-time and cosine transforms, mel scales."""
