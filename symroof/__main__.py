"""`python -m symroof` is the command line."""

import sys

from symroof.cli import main

sys.exit(main())
