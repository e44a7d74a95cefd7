# A small R program: fits a smoothing spline and reports its error.
# By hand: Rscript train.R
param <- function(name, otherwise) {
  type.convert(Sys.getenv(paste0("THRONG_P_", name), otherwise), as.is = TRUE)
}
report <- function(...) {
  values <- list(...)
  cat("::throng", paste0(names(values), "=", values), "\n")
}

spar <- param("spar", 0.5)
degree <- param("degree", 2)

x <- seq(0, 10, length.out = 80)
y <- sin(x) + cos(3 * x) / 4
left_out <- seq(4, 80, by = 4)
trend <- lm(y ~ poly(x, degree), subset = -left_out)
rest <- y - predict(trend, data.frame(x = x))
fit <- smooth.spline(x[-left_out], rest[-left_out], spar = spar)
error <- rest[left_out] - predict(fit, x[left_out])$y
report(rmse = sqrt(mean(error^2)))
