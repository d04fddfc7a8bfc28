import threading

from hardware.protocols import Camera, Clock, DeviceLost, Frame


class LooseCamera:
    """A ``camera`` whose cable comes loose when a program says so: it is away, or hangs, or freezes."""

    def __init__(self, camera: Camera, clock: Clock) -> None:
        self._camera = camera
        self._clock = clock
        self._answers = threading.Event()
        self._there = True
        self._frozen: Frame | None = None
        self._last: Frame | None = None
        self.mend()

    def pull(self) -> None:
        """It is away: reading it fails at once."""
        self._there = False
        self._answers.set()

    def hang(self) -> None:
        """Whoever reads it waits until it is mended."""
        self._answers.clear()

    def freeze(self) -> None:
        """It always sends its last picture."""
        self._frozen = self._last

    def mend(self) -> None:
        """All is well again."""
        self._there, self._frozen = True, None
        self._answers.set()

    def read(self) -> Frame:
        """The next picture. Raises DeviceLost while it is away."""
        self._answers.wait()
        if not self._there:
            raise DeviceLost("camera: it was pulled out")
        if self._frozen is not None:
            return Frame(self._clock(), self._frozen.name, self._frozen.pixels)
        self._last = self._camera.read()
        return self._last

    def close(self) -> None:
        """Nothing: it can be opened again."""
