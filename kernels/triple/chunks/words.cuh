// Words of faces, see cube.cuh, and moves as they are kept. Compile-time: KEPT, AFFINE.

#if KEPT
using Word = int;
using Pack = int4;
constexpr int EMPTY = static_cast<int>(0x80808080u);
#else
using Word = unsigned long long;
using Pack = ulonglong2;
#endif
constexpr int PACK = sizeof(Pack) / sizeof(Word);

#if AFFINE
using Move = int;
#else
using Move = unsigned char;
#endif
