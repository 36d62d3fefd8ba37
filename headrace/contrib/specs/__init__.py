"""Networks written as expressions in a string: `net = Cr(64, [5, 5]) | Mp([2, 2]) | Flat | Fm(10)`."""
