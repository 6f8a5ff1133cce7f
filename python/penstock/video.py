"""Frames of video: mean, peak and autocorrelation of the sequence that a group of flows plays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from penstock.core.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Video:
    """The frames that a group of flows plays in a cycle, each flow from its own place.

    Attributes:
        frame_bits: size of each frame in bits, including headers unless ``sending.header`` sets otherwise.
        frames_per_second: frames a second.
    """

    frame_bits: Sequence[int]
    frames_per_second: float

    @classmethod
    def of(cls, scenario: Scenario, group: str, seed: int = 1, replication: int = 0) -> Video:
        """The video of ``group`` (traffic ``mpeg`` or ``replay``) in one run of ``scenario``.

        Raises :class:`InputError` for a group that does not exist or sends no video.
        """
        return cls(*scenario.frames(group, seed, replication))

    @property
    def mean_bps(self) -> float:
        """Mean rate over the sequence, in bits per second."""
        return sum(self.frame_bits) / len(self.frame_bits) * self.frames_per_second

    @property
    def peak_bps(self) -> float:
        """Rate of the largest frame in a frame's time, in bits per second."""
        return max(self.frame_bits) * self.frames_per_second

    def autocorrelation(self, lags: int) -> NDArray[np.float64]:
        """Autocorrelation of the frame sizes at lags of 0 to ``lags`` frames; not a number if all sizes are equal.

        Lags wrap around the end of the sequence, as the sequence itself does. A group of pictures shows as peaks at
        multiples of its length, scenes as the slow fall of these peaks.
        """
        import numpy as np

        bits = np.asarray(self.frame_bits, dtype=np.float64)
        deviations = np.fft.rfft(bits - bits.mean())
        covariance = np.fft.irfft(np.abs(deviations) ** 2, len(bits))
        with np.errstate(invalid="ignore"):
            found: NDArray[np.float64] = covariance[np.arange(lags + 1) % len(bits)] / covariance[0]
        return found
