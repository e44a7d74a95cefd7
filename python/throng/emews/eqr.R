# eqr.R - algorithms written for EMEWS's EQ/R, under `method: external`
#
#   external:
#     command: Rscript "$THRONG_PYTHON/throng/emews/eqr.R" algorithm.R SETTINGS
#
# The algorithm asks for its settings by OUT_put("Params") and IN_get(), posts
# sets of parameters as JSON objects joined by `;`, gets their results in the
# same form, and ends with OUT_put("DONE") and a last word. Here OUT_put and
# IN_get are plain functions: who waits in IN_get answers throng meanwhile. No
# package is needed. What throng has told of earlier runs answers for a point
# that is posted again, so that a seeded algorithm goes on where it was.

.eq <- new.env()
.eq$input <- file("stdin", "r")
.eq$answers <- stdout()
.eq$asked <- FALSE    # its settings
.eq$ended <- FALSE
.eq$texts <- character(0)    # of the points of the batch, as JSON
.eq$results <- character(0)  # NA: not there yet
.eq$waiting <- integer(0)    # places in the batch not handed out yet
.eq$out <- list()            # trial: place
.eq$known <- list()          # results from before, by point
.eq$pending <- NULL          # an ask that is not answered yet

.eq$number <- function(line, name) {
  found <- regmatches(line, regexec(paste0('"', name, '":(-?[0-9.eE+-]+)'),
                                    line))[[1]]
  if (length(found) == 2) found[2] else NA_character_
}
.eq$result <- function(line) {
  state <- regmatches(line, regexec('"state":"([a-z_]+)"', line))[[1]]
  value <- .eq$number(line, "value")
  bad <- length(state) == 2 && !(state[2] %in% c("done", "stopped"))
  if (bad || is.na(value)) "NaN" else value
}
# The members of a flat object, sorted: the same for points that mean the same.
.eq$key <- function(text) {
  text <- gsub('^\\s*\\{|\\}\\s*$', "", text)
  parts <- strsplit(text, ',(?=\\s*")', perl = TRUE)[[1]]
  parts <- sapply(parts, function(part) {
    cut <- regexpr('":', part, fixed = TRUE)
    name <- gsub('[" ]', "", substr(part, 1, cut))
    value <- trimws(gsub('[][]', "", substring(part, cut + 2)))
    plain <- suppressWarnings(as.numeric(value))
    paste0(name, "=", if (is.na(plain)) value else format(plain, digits = 15))
  })
  paste(sort(parts), collapse = ";")
}
.eq$params <- function(line) {
  found <- regmatches(line, regexec('"params":(\\{[^}]*\\})', line))[[1]]
  if (length(found) == 2) .eq$key(found[2]) else ""
}
.eq$remember <- function(key, value) {
  .eq$known[[key]] <- c(.eq$known[[key]], value)
}

# One line of throng's; FALSE at the end of the conversation.
.eq$hear <- function() {
  line <- readLines(.eq$input, n = 1)
  if (length(line) == 0) return(FALSE)
  if (startsWith(line, '{"ask"')) {
    .eq$pending <- as.numeric(c(.eq$number(line, "ask"),
                                .eq$number(line, "first")))
  } else if (startsWith(line, '{"tell"')) {
    trial <- .eq$number(line, "tell")
    .eq$results[.eq$out[[trial]]] <- .eq$result(line)
    .eq$out[[trial]] <- NULL
  } else if (startsWith(line, '{"told"')) {
    if (!grepl('"state":"running"', line, fixed = TRUE))
      .eq$remember(.eq$params(line), .eq$result(line))
  }
  TRUE
}

# Answers an ask with what there is.
.eq$answer <- function() {
  if (is.null(.eq$pending)) return(invisible())
  places <- head(.eq$waiting, .eq$pending[1])
  .eq$waiting <- setdiff(.eq$waiting, places)
  for (i in seq_along(places))
    .eq$out[[as.character(.eq$pending[2] + i - 1)]] <- places[i]
  trials <- paste0('{"params":', .eq$texts[places], "}", recycle0 = TRUE)
  more <- if (length(places) == .eq$pending[1]) ""
    else if (.eq$ended) ',"end":true' else ',"wait":true'
  cat('{"trials":[', paste(trials, collapse = ","), "]", more, "}\n",
      sep = "", file = .eq$answers)
  flush(.eq$answers)
  .eq$pending <- NULL
}

# "{…};{…}" taken apart; a ; inside of a string stays.
.eq$split <- function(text) {
  trimws(strsplit(text, '(?<=\\})\\s*;\\s*(?=\\{)', perl = TRUE)[[1]])
}

OUT_put <- function(text) {
  if (text %in% c("DONE", "FINAL")) {
    .eq$ended <- TRUE
  } else if (.eq$ended) {
    message(text)
  } else if (!startsWith(trimws(text), "{")) {
    .eq$asked <- TRUE
  } else {
    .eq$texts <- .eq$split(text)
    .eq$results <- rep(NA_character_, length(.eq$texts))
    for (i in seq_along(.eq$texts)) {
      key <- .eq$key(.eq$texts[i])
      if (length(.eq$known[[key]]) > 0) {
        .eq$results[i] <- .eq$known[[key]][1]
        .eq$known[[key]] <- .eq$known[[key]][-1]
      }
    }
    .eq$waiting <- which(is.na(.eq$results))
  }
  invisible()
}

IN_get <- function() {
  if (.eq$asked) {
    .eq$asked <- FALSE
    return(.eq$settings)
  }
  repeat {
    if (!anyNA(.eq$results)) break
    .eq$answer()
    if (!.eq$hear()) quit(status = 0)
  }
  paste(.eq$results, collapse = ";")
}

.eq$words <- commandArgs(trailingOnly = TRUE)
if (length(.eq$words) < 1) stop("usage: Rscript eqr.R ALGORITHM.R [SETTINGS]")
.eq$settings <- if (length(.eq$words) > 1) .eq$words[2] else ""
# Everything that is known comes before the first ask.
while (is.null(.eq$pending)) if (!.eq$hear()) quit(status = 0)
sink(stderr())  # its prints are for people
source(.eq$words[1], local = globalenv())
sink()
.eq$ended <- TRUE
repeat {
  .eq$answer()
  if (!.eq$hear()) break
}
