"""The roofline lab: one page that computes the book while its reader moves controls."""
