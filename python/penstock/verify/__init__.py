"""Exact results of theory, measured with the engine: the command ``penstock verify``.

- ``check``: what a check is
- ``queues``, ``periodic``, ``conformance``, ``fluids``, ``bounds``, ``sharing``, ``schemes``, ``streams``: the checks,
  by theory
- ``texts``: parts of scenarios that checks share
- ``catalogue``: all checks
- ``judge``: verdicts
- ``run``: carries checks out
"""

from penstock.verify.judge import Judged
from penstock.verify.run import Verification, verify

__all__ = ["Judged", "Verification", "verify"]
