"""The parts for other libraries; there is one for Keras."""
