/* timing.h - how fast this program trains on a device */
#ifndef THRONG_WORKER_TIMING_H
#define THRONG_WORKER_TIMING_H

/* Trains a small and a large network for a moment and prints a line of each,
 * "DEPTH FLOPS SECONDS" of a step (terms/device_cost.h), behind a line
 * "start SECONDS". Returns how to exit: where there is no such device, why
 * is said on stderr. */
int timing_main(const char *device);

#endif
