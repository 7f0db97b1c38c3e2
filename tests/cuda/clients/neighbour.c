int neighbour_value(void) { return 42; }
