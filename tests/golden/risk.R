# Golden values of a risk model: Rscript tests/golden/risk.R > tests/golden/risk.csv
# Debian's R 4.2 with rms 6.5 (val.prob) and pROC 1.18. The data are those of curves.R: made by a formula, so that any
# program can make them.
suppressMessages(library(rms))
suppressMessages(library(pROC))
n <- 400
i <- 0:(n - 1)
u <- (i * 0.6180339887498949) %% 1
v <- (i * 0.7548776662466927 + 0.3) %% 1
p <- 0.02 + 0.9 * u^1.5
y <- as.numeric(v < p^1.3)

x <- qlogis(p)
exact <- glm.control(epsilon = 1e-14, maxit = 100)
as_given <- -2 * sum(y * log(p) + (1 - y) * log1p(-p))
shifted <- glm(y ~ offset(x), family = binomial, control = exact)
line <- glm(y ~ x, family = binomial, control = exact)
rms_values <- val.prob(p, y, pl = FALSE)

say <- function(key, value) cat(sprintf("%s,%.17g\n", key, value))
cat("key,value\n")
say("calibration_slope", coef(line)[2])
say("calibration_intercept", coef(shifted)[1])
say("calibration_intercept p", pchisq(as_given - deviance(shifted), 1, lower.tail = FALSE))
say("calibration_slope p", pchisq(deviance(shifted) - deviance(line), 1, lower.tail = FALSE))
say("oe_ratio", sum(y) / sum(p))
say("rms Slope", rms_values["Slope"])
say("rms C (ROC)", rms_values["C (ROC)"])
say("rms Brier", rms_values["Brier"])
say("rms S:z", rms_values["S:z"])
say("pROC auc", as.numeric(auc(roc(y, p, quiet = TRUE, direction = "<"))))
at <- coords(roc(y, p, quiet = TRUE, direction = "<"), c(0.1, 0.2, 0.5), input = "threshold",
             ret = c("threshold", "sensitivity", "specificity", "ppv", "npv"))
for (k in 1:3) for (key in c("sensitivity", "specificity", "ppv", "npv"))
  say(sprintf("pROC %s %g", key, at$threshold[k]), at[[key]][k])
