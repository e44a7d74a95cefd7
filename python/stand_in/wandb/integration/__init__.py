"""The parts for other libraries: Keras, XGBoost, LightGBM."""
