/* special_types.h - the C library's headers to a compiler that has none
 *
 * For kernels that are compiled at run time: only what they use. */
#ifndef THRONG_NN_CUDA_SPECIAL_TYPES_H
#define THRONG_NN_CUDA_SPECIAL_TYPES_H

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)

#endif
