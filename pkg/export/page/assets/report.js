// The report is complete without a script. This one only switches between light and dark.

byID('theme').hidden = false;
setUpTheme();
