/* dropout.h - which rates a dropout may have */
#ifndef THRONG_TERMS_DROPOUT_H
#define THRONG_TERMS_DROPOUT_H

#define DROPOUT_MOST 0.999 /* from 0; 1 would leave nothing of a row */

#endif
