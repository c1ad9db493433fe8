# cmake -DFROM=viewer -DTO=FOLDER -P CopyViewer.cmake: the viewer's sources beside its packages, without leftovers.
file(REMOVE_RECURSE ${TO}/src ${TO}/style ${TO}/test)
file(COPY ${FROM}/ DESTINATION ${TO} PATTERN node_modules EXCLUDE PATTERN out EXCLUDE)
