"""Decides whether fortran/xbatch_c.f90 is the C interface: every exported symbol is in the module, every interface has
the arguments of the C prototype (name, order, value or pointer, kind, size, const), every constant has its value.
SPDX-License-Identifier: BSD-3-Clause

gfortran prints the prototypes it would call (-fc-prototypes), the C compiler what the headers declare (-E). Both are
reduced to the same words: 'integer 8' is an int64_t by value, 'const real 4 *' a pointer to const float.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# The types in the calling convention of a 64-bit platform; enums are added as they are found.
TYPES = {
    "int": "integer 4", "int32_t": "integer 4", "long": "integer 8", "int64_t": "integer 8", "size_t": "integer 8",
    "float": "real 4", "double": "real 8",
    "xbatchComplexFloat_t": "complex 4", "__GFORTRAN_FLOAT_COMPLEX": "complex 4",
    "xbatchComplexDouble_t": "complex 8", "__GFORTRAN_DOUBLE_COMPLEX": "complex 8",
    "xbatchComm_t": "address", "xbatchMpPlan_t": "address", "xbatchMgPlan_t": "address",
    "xbatchHandle_t": "address", "xbatchHinesPlan_t": "address", "xbatchTaskGraph_t": "address",
    "xbatchTaskBody_t": "function", "signed char": "address", "short": "function",  # see fortran_interface
}


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def reduce_type(words, enums):
    if re.search(r"\*\s*const\s*\*", words):  # an array of pointers, which is only read
        return "const address *"
    const = words.startswith("const ")
    base = words.removeprefix("const ").replace("*", "").strip()
    stars = words.count("*")
    if base in ("void", "char", "xbatchCommLayer_t"):  # type(c_ptr) has neither element type nor const
        base, stars, const = "address", stars - 1, False
    reduced = "integer 4" if base in enums else TYPES.get(base, base.lower())
    return ("const " if const else "") + reduced + (" " + "*" * stars if stars else "")


def prototypes(text, enums):
    """{function: [('result', type), (argument, type), ...]} of all prototypes in preprocessed C."""
    text = " ".join(line for line in text.splitlines() if not line.startswith("#"))
    found = {}
    for result, name, arguments in re.findall(r"([^;{}()]*[\s*])(\w+)\s*\(([^()]*)\)\s*;", text):
        split = [re.fullmatch(r"(.*?)(\w+)", argument.strip()).groups() for argument in arguments.split(",")]
        found[name] = [("result", reduce_type(result.strip(), enums))]
        found[name] += [(argument.lower(), reduce_type(words.strip(), enums)) for words, argument in split]
    return found


def structures(text, enums):
    """{structure: [(member, type), ...]} of all structures in preprocessed C that are not opaque."""
    found = {}
    for body, name in re.findall(r"typedef\s+struct(?:\s+\w+)?\s*\{([^}]*)\}\s*(xbatch\w+)\s*;", text):
        members = [re.fullmatch(r"(.*?)(\w+(?:\[\d+\])?)", member.strip()).groups() for member in body.split(";")[:-1]]
        found[name.lower()] = [(member.lower(), reduce_type(words.strip(), enums)) for words, member in members]
    return found


def c_interface(compiler, include):
    """Prototypes, structures and constants of the headers."""
    header = str(pathlib.Path(include, "xbatch.h"))
    text = run(compiler, "-E", "-P", header)
    enums, constants = set(), {}
    for body, name in re.findall(r"typedef\s+enum\s*\{([^}]*)\}\s*(\w+)\s*;", text):
        enums.add(name)
        constants |= {key: int(value, 0) for key, value in re.findall(r"(\w+)\s*=\s*(\w+)", body)}
    for name in [name for name in constants if name.endswith("_FORCE_INT32")]:
        del constants[name]  # forces the C enum to int32_t; not a value
    macros = run(compiler, "-E", "-dM", header)
    constants |= {key: int(value) for key, value in re.findall(r"#define (XBATCH_VERSION_\w+) (\d+)", macros)}
    functions = {name: words for name, words in prototypes(text, enums).items() if re.match("xbatch|[xsdcz]", name)}
    described = structures(text, enums)
    for name in ("xbatchcomplexfloat_t", "xbatchcomplexdouble_t"):
        del described[name]  # complex numbers are a type of the language
    return functions | described, constants


def fortran_interface(compiler, module):
    """Prototypes, structures and constants of the module. -fc-prototypes writes 'void *' for a type(c_ptr) by value
    and by reference alike, and a type(c_funptr) as no C compiler would read it. So the interfaces are read with integer
    types that nothing else uses in their place."""
    source = pathlib.Path(module).read_text()
    interfaces = re.findall(r"^ {4}interface\n.*?^ {4}end interface$", source, re.MULTILINE | re.DOTALL)
    types = re.findall(r"^ {4}type, bind\(c\) ::.*?^ {4}end type$", source, re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "interfaces.f90")
        copy.write_text("module interfaces\nuse iso_c_binding, c_ptr => c_signed_char, address => c_ptr, "
                        + "c_funptr => c_short, function_address => c_funptr\n"
                        + re.sub(r"type\((c_ptr|c_funptr)\)", r"integer(\1)", "\n".join(types + interfaces))
                        + "\nend module\n")
        text = run(compiler, "-fc-prototypes", "-fsyntax-only", str(copy), cwd=folder)
    constants = re.findall(r"(?:enumerator|parameter) :: (\w+) = (\d+)", source)
    return prototypes(text, set()) | structures(text, set()), {key: int(value) for key, value in constants}


# Arrays that are not of the element type are addresses in the x routines of the module, as they may be device memory.
ARRAYS_OF_X = {"integer 4 *", "const integer 8 *", "const address *"}


def is_address_of_x(function, c, fortran):
    return function.startswith("x") and c[0] == fortran[0] and c[1] in ARRAYS_OF_X and fortran[1] == "address"


def compare(functions_c, functions_fortran):
    """The differences between the prototypes of both sides, in words."""
    for name in sorted(functions_c.keys() | functions_fortran.keys()):
        c, fortran = functions_c.get(name), functions_fortran.get(name)
        if not c or not fortran:
            yield f"{name} is in {'C' if c else 'the module'} alone"
        elif len(c) != len(fortran):
            yield f"{name} has {len(c) - 1} arguments in C, {len(fortran) - 1} in the module"
        else:
            yield from (f"{name}: {' '.join(a)} in C is {' '.join(b)} in the module"
                        for a, b in zip(c, fortran) if a != b and not is_address_of_x(name, a, b))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", required=True, help="fortran/xbatch_c.f90")
    parser.add_argument("--include", required=True, help="folder of xbatch.h")
    parser.add_argument("--symbols", required=True, help="the version script, src/cmake/xbatch.map")
    parser.add_argument("--cc", required=True, help="C compiler")
    parser.add_argument("--fc", required=True, help="gfortran")
    options = parser.parse_args()

    c_functions, c_constants = c_interface(options.cc, options.include)
    functions, constants = fortran_interface(options.fc, options.module)
    exported = re.findall(r"^\s+(\w+);", pathlib.Path(options.symbols).read_text(), re.MULTILINE)
    differences = [f"exported symbol {name} is not in the module" for name in exported if name not in functions]
    differences += compare(c_functions, functions)
    differences += [f"constant {name} is {c_constants.get(name)} in C, {constants.get(name)} in the module"
                    for name in sorted(c_constants.keys() | constants.keys())
                    if c_constants.get(name) != constants.get(name)]
    for difference in differences:
        print(difference)
    print(f"{len(exported)} symbols, {len(c_functions)} prototypes and structures, {len(c_constants)} constants: "
          f"{len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
