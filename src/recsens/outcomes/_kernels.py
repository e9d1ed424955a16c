"""Compiled loops over users' lists: means and variances if each unrated item is relevant with some probability, independently.

Lists have shape (n_users, n): ``gain`` has the gain of each judged item; ``kind`` is 0 at places without an unrated item, 1 if the
item is only in this list, and 2 if both lists have it; ``place`` has, for these, the item's place in the other list. ``rates``
are the probabilities of an unrated item that only the first list has, that only the second has, and that both have.
"""

import numpy as np

from recsens.compiled.machine_code import njit


@njit(nogil=True)
def _expected_gain(gain, kind, own, both, highest, expected):
    for k in range(len(gain)):
        expected[k] = gain[k] if kind[k] == 0 else highest * (own if kind[k] == 1 else both)


@njit(nogil=True)
def _mean(rule, weight, gain):
    total, reached, above = 0.0, 1.0, 0.0
    for k in range(len(gain)):
        if rule == 1:
            total += weight[k] * gain[k] * reached
            reached *= 1.0 - gain[k]
        elif rule == 2:
            total += weight[k] * gain[k] * (1.0 + above)
            above += gain[k]
        else:
            total += weight[k] * gain[k]
    return total


@njit(nogil=True)
def means(rule, weight, highest, gain_a, kind_a, gain_b, kind_b, rates, mean_a, mean_b):
    """Fill the expected value of each user's two lists, without the scale."""
    expected = np.empty(len(weight))
    for u in range(len(gain_a)):
        _expected_gain(gain_a[u], kind_a[u], rates[0], rates[2], highest, expected)
        mean_a[u] = _mean(rule, weight, expected)
        _expected_gain(gain_b[u], kind_b[u], rates[1], rates[2], highest, expected)
        mean_b[u] = _mean(rule, weight, expected)


@njit(nogil=True)
def _slopes(rule, weight, expected, slope):
    """Fill the derivative of the mean by the gain of each place, for rules whose variance needs no products over places."""
    if rule == 0:
        slope[:] = weight
        return
    below, above = 0.0, 0.0
    for k in range(len(weight) - 1, -1, -1):
        slope[k] = below
        below += weight[k] * expected[k]
    for k in range(len(weight)):
        slope[k] += weight[k] * (1.0 + above)
        above += expected[k]


@njit(nogil=True)
def _stop_variance(step, reached, ratio):
    """Return the variance of Σ step(k) (1 - R(k)), where R(k) has the mean reached(k), and E R(j) R(k) has factors ``ratio``."""
    tail = 0.0
    for k in range(len(step)):
        tail += step[k] * reached[k]
    total, product = 0.0, 1.0
    for k in range(len(step)):
        product *= ratio[k]
        own = step[k] * reached[k]
        total += own * (product - 1.0) * (2.0 * tail - own)
        tail -= own
    return total


@njit(nogil=True)
def _stop_covariance(step, reached_a, ratio_a, kind_a, place, reached_b):
    n = len(step)
    total, inner, joint = 0.0, 0.0, np.ones(n)
    for j in range(n):
        if reached_a[j] == 0.0:
            break
        if kind_a[j] == 2:
            for k in range(place[j], n):
                joint[k] *= ratio_a[j]
            inner = 0.0
            for k in range(n):
                inner += step[k] * reached_b[k] * (joint[k] - 1.0)
        total += step[j] * reached_a[j] * inner
    return total


@njit(nogil=True)
def _linear_variance(spread, slope, kind_a, place, kind_b):
    total = 0.0
    for j in range(len(kind_a)):
        if kind_a[j] > 0:
            own = slope[0, j] - (slope[1, place[j]] if kind_a[j] == 2 else 0.0)
            total += spread[0, j] * own * own
        if kind_b[j] == 1:
            total += spread[1, j] * slope[1, j] * slope[1, j]
    return total


@njit(nogil=True)
def _product_variance(weight, spread, kind_a, place, kind_b):
    """Return the variance of products of two unrated items: in one list, they count with the weight of the lower place."""
    total = 0.0
    for j in range(len(weight)):
        if spread[0, j] > 0.0:
            own = 0.0
            for i in range(j):
                if kind_a[i] > 0:
                    lower = weight[max(place[i], place[j])] if kind_a[i] == 2 and kind_a[j] == 2 else 0.0
                    own += spread[0, i] * (weight[j] - lower) ** 2
            total += spread[0, j] * own
        if spread[1, j] > 0.0:
            own = 0.0
            for i in range(j):
                if kind_b[i] == 1 or (kind_b[i] == 2 and kind_b[j] == 1):
                    own += spread[1, i]
            total += spread[1, j] * own * weight[j] * weight[j]
    return total


@njit(nogil=True)
def variances(rule, weight, highest, gain_a, kind_a, place, gain_b, kind_b, rates, variance):
    """Fill the variance of the difference of each user's two lists, without the scale."""
    n = len(weight)
    step = weight - np.append(weight[1:], 0.0)
    expected, slope, spread = np.empty((2, n)), np.empty((2, n)), np.empty((2, n))
    reached, ratio = np.empty((2, n)), np.empty((2, n))
    for u in range(len(gain_a)):
        _expected_gain(gain_a[u], kind_a[u], rates[0], rates[2], highest, expected[0])
        _expected_gain(gain_b[u], kind_b[u], rates[1], rates[2], highest, expected[1])
        for s in range(2):
            kind, above = kind_a[u] if s == 0 else kind_b[u], 1.0
            for k in range(n):
                rate = rates[2] if kind[k] == 2 else rates[s]
                spread[s, k] = 0.0 if kind[k] == 0 else rate * (1.0 - rate) * highest * highest
                stay = 1.0 - expected[s, k]
                # A place where the user certainly stops leaves nothing below that could vary.
                ratio[s, k] = 1.0 if stay <= 0.0 else 1.0 + spread[s, k] / (stay * stay)
                above *= stay
                reached[s, k] = above
        if rule == 1:
            own = _stop_variance(step, reached[0], ratio[0]) + _stop_variance(step, reached[1], ratio[1])
            variance[u] = own - 2.0 * _stop_covariance(step, reached[0], ratio[0], kind_a[u], place[u], reached[1])
            continue
        for s in range(2):
            _slopes(rule, weight, expected[s], slope[s])
        variance[u] = _linear_variance(spread, slope, kind_a[u], place[u], kind_b[u])
        if rule == 2:
            variance[u] += _product_variance(weight, spread, kind_a[u], place[u], kind_b[u])
