"""Signal processing: windows, frames, short-time transforms, the mel scale."""
