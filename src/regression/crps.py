#!/usr/bin/env python3
"""Prints the polynomial kExcess of term_kernels.cpp and its error. Needs mpmath.

exp(a^2 / 2) (phi(a) - a P(X > a)) for 0 <= a <= 9 in t = 26/9 a/(a + 4) - 1, interpolated at Chebyshev nodes in 50 digits.
"""
from mpmath import cos, erfc, exp, mp, mpf, nstr, pi, polyval, sqrt

mp.dps = 50
END, STRETCH, DEGREE = mpf(9), mpf(4), 18


def excess(a):
    return 1 / sqrt(2 * pi) - a * exp(a * a / 2) * erfc(a / sqrt(2)) / 2


def variable(a):
    return 2 * a / (a + STRETCH) * (END + STRETCH) / END - 1


def at(t):
    share = (t + 1) / 2 * END / (END + STRETCH)
    return excess(STRETCH * share / (1 - share))


n = DEGREE + 1
angles = [(2 * i + 1) * pi / (2 * n) for i in range(n)]
chebyshev = [2 * sum(at(cos(v)) * cos(j * v) for v in angles) / n for j in range(n)]
chebyshev[0] /= 2
basis = [[mpf(1)], [mpf(0), mpf(1)]]
for _ in range(2, n):
    longer = [mpf(0)] + [2 * x for x in basis[-1]]
    for i, x in enumerate(basis[-2]):
        longer[i] -= x
    basis.append(longer)
monomials = [sum(chebyshev[k] * basis[k][i] for k in range(i, n)) for i in range(n)]
rounded = [mpf(float(x)) for x in monomials]
error = max(abs(polyval(rounded[::-1], variable(a)) - excess(a)) * exp(-a * a / 2) for a in (END * i / 2000 for i in range(2001)))
print("error", nstr(error, 3))
print(", ".join(float(x).hex() for x in rounded))
