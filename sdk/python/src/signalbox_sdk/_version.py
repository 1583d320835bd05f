__version__ = "0.1.0"
SCOPE_NAME = "signalbox-sdk"
