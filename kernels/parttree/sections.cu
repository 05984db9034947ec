// CUDA-Parttree (Razzolini and Melo, algorithm 2): 6-mers that every base sequence shares with every reference.
//
// A thread takes a base sequence and holds it against all references in turn. Of a word it has the number and how often it
// is there; a reference has a map of all words in global memory. Sequences of one section are padded to one length, so that
// the threads of a warp end together; what is padded is there 0 times.
extern "C" __global__ void sections(const int2* structs, const long long* section_addresses, const int* section_lengths,
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
