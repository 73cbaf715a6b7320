# Run PROGRAM; it must succeed and print exactly what the file EXPECTED holds.
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE errors)
file(READ ${EXPECTED} expected)
if(NOT result EQUAL 0 OR NOT printed STREQUAL expected)
    message(FATAL_ERROR "exit ${result}\n${errors}\nprinted:\n${printed}\nREADME.md says:\n${expected}")
endif()
