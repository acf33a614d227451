# Golden values of loess and of a logistic restricted cubic spline: Rscript tests/golden/curves.R > tests/golden/curves.csv
# Debian's R 4.2 (r-base-core). The data come from a formula, so that any program can make them.
n <- 400
i <- 0:(n - 1)
u <- (i * 0.6180339887498949) %% 1
v <- (i * 0.7548776662466927 + 0.3) %% 1
p <- 0.02 + 0.9 * u^1.5
y <- as.numeric(v < p^1.3)

fit <- loess(y ~ p, control = loess.control(surface = "direct"))
l <- pmin(pmax(predict(fit, p), 0), 1)

x <- qlogis(p)
# quantile(type = 1), but for the rounding of n times a share
lower <- function(z, share) sort(z)[ceiling(n * share - 1e-9)]
t <- lower(x, c(0.05, 0.275, 0.5, 0.725, 0.95))
k <- length(t)
cube <- function(z) pmax(z, 0)^3
terms <- sapply(1:(k - 2), function(j) (cube(x - t[j]) - cube(x - t[k - 1]) * (t[k] - t[j]) / (t[k] - t[k - 1]) +
  cube(x - t[k]) * (t[k - 1] - t[j]) / (t[k] - t[k - 1])) / (t[k] - t[1])^2)
r <- fitted(glm(y ~ x + terms, family = binomial, control = glm.control(epsilon = 1e-14, maxit = 100)))

summary_of <- function(curve) {
  gap <- abs(curve - p)
  c(mean(gap), lower(gap, 0.5), lower(gap, 0.9), max(gap))
}
cat("p,y,loess,rcs\n")
cat(sprintf("%.17g,%d,%.17g,%.17g\n", p, y, l, r), sep = "")
cat(sprintf("# loess: ici %.17g, e50 %.17g, e90 %.17g, emax %.17g\n", summary_of(l)[1], summary_of(l)[2], summary_of(l)[3], summary_of(l)[4]))
cat(sprintf("# rcs: ici %.17g, e50 %.17g, e90 %.17g, emax %.17g\n", summary_of(r)[1], summary_of(r)[2], summary_of(r)[3], summary_of(r)[4]))
