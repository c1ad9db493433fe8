// The runner of the real program, shared with the room cli.
#include "cli/workplace.cpp"
