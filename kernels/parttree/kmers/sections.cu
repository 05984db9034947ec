// CUDA-Parttree (Razzolini and Melo 2020, algorithm 2): 6-mers that every base sequence shares with every
// reference.
//
// Computes: shared(r, s) = sum over words w of min(count of w in s, count of w in r).
// Threads: a thread takes a base sequence and compares it with all references in turn. Sequences of one section are
//   padded to one length, so that the threads of a warp end together.
// Memory: a sequence is a list of (word, count), padded with counts of 0; a reference is a table of counts of all
//   words in global memory.

extern "C" __global__ void count_shared_words(const int2* structs, const long long* section_addresses, const int* section_lengths,
                                    int section, int sequences, const int* maps, int bins, int references, int* shared) {
    const int sequence = blockIdx.x * blockDim.x + threadIdx.x;
    if (sequence >= sequences) return;
    const int number = sequence / section, length = section_lengths[number];
    const int2* own = structs + section_addresses[number] + (long long)(sequence % section) * length;
    for (int reference = 0; reference < references; ++reference) {
        const int* map = maps + (long long)reference * bins;
        int common = 0;
        for (int at = 0; at < length; ++at) common += min(own[at].y, map[own[at].x]);
        shared[(long long)sequences * reference + sequence] = common;
    }
}
