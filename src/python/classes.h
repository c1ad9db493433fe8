// The classes that Python sees, registered in an order in which each knows those it speaks of (classes.cpp).
#pragma once

namespace factorgcn::python {

void register_edges();
void register_data_set();
void register_run();
void register_trainer();
void register_disentangling();

}  // namespace factorgcn::python
