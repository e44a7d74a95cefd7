# A search with the shape of EMEWS's mlrMBO drivers, without their packages: it
# talks through the two queues of EQ/R and knows nothing of throng.
to_json <- function(p) sprintf('{"x":%.17g,"y":%.17g}', p[1], p[2])
evaluate <- function(points) {
  OUT_put(paste(sapply(points, to_json), collapse = ";"))
  as.numeric(strsplit(IN_get(), ";")[[1]])
}
main_function <- function(pp = 2, it = 5) {
  set.seed(7)
  draw <- function(around, width)
    pmin(5, pmax(-5, around + runif(2, -width, width)))
  points <- lapply(1:pp, function(i) draw(c(0, 0), 5))
  values <- evaluate(points)
  for (i in 1:it) {
    best <- points[[which.min(values)]]
    new <- lapply(1:pp, function(k) draw(best, 5 / (i + 1)))
    points <- c(points, new)
    values <- c(values, evaluate(new))
  }
  print(min(values))
  list(points = points, values = values)
}
OUT_put("Params")
res <- IN_get()
l <- eval(parse(text = paste0("list(", res, ")")))
final_res <- do.call(main_function, l)
OUT_put("DONE")
saveRDS(final_res, file = "final_res.Rds")
OUT_put("Look at final_res.Rds for final results.")
print("algorithm done.")
