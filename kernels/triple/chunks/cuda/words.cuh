// Types of face words and of moves, before the structs that use them.
//
// Computes:   nothing. Compile-time: KEPT, AFFINE.
// Threads:    a thread loads and stores words of faces in packs of 16 bytes.
// Memory:     a face word is 4 bytes, or 8 where it says who wrote it (cube.cuh); a move is 1 byte, or 4 with affine gaps.

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
