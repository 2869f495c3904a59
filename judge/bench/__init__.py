"""`judge bench`: how long a judgement takes here, beside what others do, measured in one run."""
