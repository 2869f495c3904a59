"""The code that runs beside a submission: stdlib and torch only, shipped into the image as it is."""
