"""``python -m ibid_build``."""

import sys

from ibid_build.cli import main

sys.exit(main())
