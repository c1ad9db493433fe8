// The web server for tests, shared with the room shelf.
#include "shelf/loopback_server.cpp"
