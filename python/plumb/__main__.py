from plumb_calibration import main

main()
