"""Printers of formulas and values, and the reports that are made with them."""
