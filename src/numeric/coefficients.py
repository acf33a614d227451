#!/usr/bin/env python3
"""Prints the fitted coefficients of elementary_coefficients.hpp and special.cpp, with the error of each fit.

Needs mpmath. Every fit is an interpolation at Chebyshev nodes in 60-digit arithmetic, rounded to double at the end.
"""
from mpmath import (chebyt, cos, erfc, exp, linspace, log, loggamma, lu_solve, matrix, mp, mpf, nstr, pi,
                    polyval, sqrt)

mp.dps = 60


def nodes(a, b, n):
    return [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]


def monomials(f, a, b, degree):
    xs = nodes(a, b, degree + 1)
    system = matrix([[x**j for j in range(degree + 1)] for x in xs])
    return list(lu_solve(system, matrix([f(x) for x in xs])))


def chebyshev(f, degree):
    """Coefficients of T_0 (halved already) to T_degree of f on [-1, 1]."""
    n = degree + 1
    values = [(2 * i + 1) * pi / (2 * n) for i in range(n)]
    c = [2 * sum(f(cos(v)) * cos(j * v) for v in values) / n for j in range(n)]
    c[0] /= 2
    return c


def rounded(c):
    return [mpf(float(v)) for v in c]


def show(name, c, error):
    print(f"{name}: error {nstr(error, 3)}")
    print("  " + ", ".join(float(v).hex() for v in c))


def exp_rest(r):
    return mpf(1) / 2 + r / 6 + r**2 / 24 if abs(r) < mpf(10)**-12 else (exp(r) - 1 - r) / r**2


half_ln2 = log(2) / 2 * mpf("1.0001")
c = monomials(exp_rest, -half_ln2, half_ln2, 10)
show("exp", c, max(abs((polyval(rounded(c)[::-1], r) - exp_rest(r)) * r * r / exp(r))
                   for r in linspace(-half_ln2, half_ln2, 2001)))


def log_rest(z):
    s = sqrt(z)
    return (log((1 + s) / (1 - s)) - 2 * s) / (s * z)


z_max = ((sqrt(2) - 1) / (sqrt(2) + 1))**2 * mpf("1.0001")
c = monomials(log_rest, mpf(0), z_max, 6)
show("log", c, max(abs((polyval(rounded(c)[::-1], z) - log_rest(z)) * z / 2) for z in linspace(z_max / 1000, z_max, 1000)))


def log_gamma_slope(z):
    """log Gamma(2 + z) / z."""
    return loggamma(2 + z) / z


c = monomials(log_gamma_slope, mpf("-0.5001"), mpf("0.5001"), 19)
show("log_gamma", c, max(abs(polyval(rounded(c)[::-1], z) / log_gamma_slope(z) - 1)
                         for z in linspace(mpf("-0.4999"), mpf("0.5001"), 1001)))

STRETCH = mpf(5)


def normal_tail(t):
    """(1 + x) exp(x^2 / 2) P(X > x) with t = (x - STRETCH) / (x + STRETCH)."""
    if t > 1 - mpf(10)**-12:
        return 1 / sqrt(2 * pi)
    x = STRETCH * (1 + t) / (1 - t)
    return (1 + x) * exp(x * x / 2) * erfc(x / sqrt(2)) / 2


c = chebyshev(normal_tail, 24)
show("normal_tail", c, max(abs(sum(v * chebyt(j, t) for j, v in enumerate(rounded(c))) / normal_tail(t) - 1)
                           for t in linspace(mpf(-1), mpf("0.99"), 500)))
