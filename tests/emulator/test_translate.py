"""What the emulator makes of a source before g++ sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from antidiag.kernels.cuda.kernel_compiler import PRELUDE, join_source
from tests.emulator import translate
from tests.emulator.translate import TranslationError, to_cpp


def test_every_function_in_ptx_has_a_twin():
    kernels = Path(__file__).parents[2] / "kernels"
    files = [path for ending in ("cu", "cuh") for path in kernels.rglob(f"*.{ending}")]
    in_ptx = {name for path in files for name in translate.ptx_functions(path.read_text())}
    shared_by_twins = {"addition_carry", "add_words_with"}
    assert in_ptx | shared_by_twins == set(translate.functions(translate.TWINS.read_text()))
    assert "load_shared_by_all" in in_ptx


def test_the_rest_of_the_prelude_stays():
    kept = translate.without_ptx(PRELUDE.read_text())
    assert set(translate.functions(kept)) == set(translate.functions(PRELUDE.read_text())) - set(
        translate.functions(translate.TWINS.read_text())
    )
    assert kept.count("\n") == PRELUDE.read_text().count("\n")


def test_ptx_elsewhere_is_refused_with_a_remedy():
    text = '# 1 "family.cu"\n__device__ int lane() { int id; asm("mov.u32 %0, %%laneid;" : "=r"(id)); return id; }'
    with pytest.raises(TranslationError, match=r"inline PTX in family.cu: .* twin in .*ptx.h"):
        to_cpp(text)


def test_kernels_are_found_with_launch_bounds_and_without():
    text = """
    extern "C" __global__ void one(int* a) {}
    extern "C" __global__ __launch_bounds__(32 * (2 + 2), 1) void two(int* a) {}
    extern "C" __global__ void __launch_bounds__(THREADS) three(int* a) {}
    """
    calls = to_cpp(text).partition('"kernels"\n')[2]
    assert calls.split() == [f"EMULATED_KERNEL({name})" for name in ("one", "two", "three")]


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("__shared__ int a[3][LANES + 1];", ["type_of_a = int[3][LANES + 1]"]),
        ("__shared__ Pair<int, 2> a, b[4];", ["type_of_a = Pair<int, 2>;", "type_of_b = Pair<int, 2>[4]"]),
        ("static volatile __shared__ float a[2];", ["type_of_a = volatile float[2]"]),
        ("__shared__ __align__(sizeof(int4)) char a[N];", ["type_of_a = char[N]", "> sizeof(int4) ?"]),
        ("extern __shared__ __align__(16) unsigned char a[];", ["static_cast<unsigned char*>(", "auto* const a"]),
        ("extern __shared__ int a[][4];", ["static_cast<int (*)[4]>("]),
    ],
)
def test_shared_memory(declaration, expected):
    translated = to_cpp(f"void f() {{ {declaration} }}")
    assert all(part in translated for part in expected), translated


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("__shared__ int a = 3;", "without an initial value"),
        ("extern __shared__ int a[], b[];", "write extern __shared__ TYPE NAME"),
    ],
)
def test_shared_memory_that_is_not_understood(declaration, message):
    with pytest.raises(TranslationError, match=message):
        to_cpp(f"void f() {{ {declaration} }}")


def test_shared_memory_of_no_function_is_refused():
    with pytest.raises(TranslationError, match="outside of functions"):
        to_cpp("__shared__ int a[3];")


def test_errors_of_the_compiler_name_the_file_of_the_kernel(emulated, tmp_path):
    import cupy

    file = tmp_path / "wrong.cu"
    file.write_text('extern "C" __global__ void f(int* a) {\n    a[0] = nothing;\n}\n')
    with pytest.raises(cupy.cuda.compiler.CompileException, match=r"wrong.cu:2:.*nothing"):
        cupy.RawModule(code=join_source(file)).compile()
    with pytest.raises(cupy.cuda.compiler.CompileException, match="unknown to the emulator: --surprise"):
        cupy.RawModule(code=join_source(file), options=("--surprise",)).compile()
