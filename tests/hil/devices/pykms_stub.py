"""Stands in for pykms, which picamera2 imports for its preview window only."""


class _Anything:
    def __getattr__(self, name):
        return _Anything()

    def __call__(self, *args, **more):
        return _Anything()


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _Anything()
