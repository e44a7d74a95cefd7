/* interval_end.h - which end of an interval a quantile is
 *
 * A model that says several quantiles of one label says an interval: from the
 * lowest of them to the highest. */
#ifndef THRONG_TERMS_INTERVAL_END_H
#define THRONG_TERMS_INTERVAL_END_H

enum interval_end {
    END_NONE, /* it is no such quantile */
    END_LOW,
    END_HIGH,
    END_INSIDE, /* another one of the same label */
};

#endif
