"""Compiled loops over users' lists: means and variances if each unrated item is relevant with some probability, independently.

Lists have shape (n_users, n): ``gain`` has the gain of each judged item; ``kind`` is 0 at places without an unrated item, 1 if the
item is only in this list, and 2 if both lists have it; ``place`` has, for these, the item's place in the other list. ``rates``
are the probabilities of an unrated item that only the first list has, that only the second has, and that both have.
"""

import numpy as np

from recsens.compiled.machine_code import njit


@njit(nogil=True)
def _fill_expected_gain(gain, kind, own, both, highest, expected):
    for k in range(len(gain)):
        expected[k] = gain[k] if kind[k] == 0 else highest * (own if kind[k] == 1 else both)


@njit(nogil=True)
def _expected_value(rule, weight, gain):
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
def fill_means(rule, weight, highest, gain, kind, own, both, mean):
    """Fill the expected value of each user's list, without the scale; ``own`` is the rate of items that only this list has."""
    expected = np.empty(len(weight))
    for u in range(len(gain)):
        _fill_expected_gain(gain[u], kind[u], own, both, highest, expected)
        mean[u] = _expected_value(rule, weight, expected)


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
def fill_stop_variances(weight, highest, gain_a, kind_a, place, gain_b, kind_b, rates, variance):
    """Fill the variance of the difference of each user's two lists by a rule that stops, without the scale."""
    n = len(weight)
    step = weight - np.append(weight[1:], 0.0)
    reached, ratio = np.empty((2, n)), np.empty((2, n))
    for u in range(len(gain_a)):
        for s in range(2):
            gain, kind, above = gain_a[u] if s == 0 else gain_b[u], kind_a[u] if s == 0 else kind_b[u], 1.0
            for k in range(n):
                rate = 0.0 if kind[k] == 0 else rates[2] if kind[k] == 2 else rates[s]
                stay = 1.0 - gain[k] - highest * rate
                # A place where the user certainly stops leaves nothing below that could vary.
                ratio[s, k] = 1.0 if stay <= 0.0 else 1.0 + rate * (1.0 - rate) * highest * highest / (stay * stay)
                above *= stay
                reached[s, k] = above
        own = _stop_variance(step, reached[0], ratio[0]) + _stop_variance(step, reached[1], ratio[1])
        variance[u] = own - 2.0 * _stop_covariance(step, reached[0], ratio[0], kind_a[u], place[u], reached[1])


@njit(nogil=True)
def _who_lists(kind, s):
    """Say who lists the unrated item at a place of list s: 0 if there is none, 1 only the first, 2 only the second, 3 both."""
    return 0 if kind == 0 else 3 if kind == 2 else 1 + s


@njit(nogil=True)
def _fill_slopes(has_products, weight, highest, gain, kind, s, slope):
    """Fill the derivative of the mean by the gain of each place, as factors of 1 and of the three rates, shape (n, 4)."""
    slope[:] = 0.0
    slope[:, 0] = weight
    if not has_products:
        return
    for part in range(4):
        below, above = 0.0, 0.0
        for k in range(len(weight) - 1, -1, -1):
            slope[k, part] += below
            below += weight[k] * (gain[k] if part == 0 else highest * (_who_lists(kind[k], s) == part))
        for k in range(len(weight)):
            slope[k, part] += weight[k] * above
            above += gain[k] if part == 0 else highest * (_who_lists(kind[k], s) == part)


@njit(nogil=True)
def _add_list(has_products, weight, kind, place, s, slope, share, alone, paired):
    for j in range(len(weight)):
        # An item of both lists is counted in the first.
        if kind[j] == 0 or (kind[j] == 2 and s == 1):
            continue
        own = slope[s, j] - slope[1, place[j]] if kind[j] == 2 else slope[s, j]
        for p in range(4):
            for q in range(4):
                alone[_who_lists(kind[j], s) - 1, p, q] += share * own[p] * own[q]
    for j in range(len(weight) if has_products else 0):
        for i in range(j):
            is_shared = kind[i] == 2 and kind[j] == 2
            if kind[i] > 0 and kind[j] > 0 and not (is_shared and s == 1):
                lower = weight[max(place[i], place[j])] if is_shared else 0.0
                paired[_who_lists(kind[i], s) - 1, _who_lists(kind[j], s) - 1] += share * (weight[j] - lower) ** 2


@njit(nogil=True)
def add_moments(has_products, weight, highest, gain_a, kind_a, place, gain_b, kind_b, share, alone, paired):
    """Add the terms of Σ share(u) variance(u) of sums of gains, and of sums of their products.

    With e = (1, rates), the variance is the sum of r(k) (1 - r(k)) eᵀ ``alone[k]`` e over the three rates, and of
    r(k) (1 - r(k)) r(l) (1 - r(l)) ``paired[k, l]`` over pairs. The product of two unrated items in one list counts with the weight
    of the lower place.
    """
    slope = np.empty((2, len(weight), 4))
    for u in range(len(share)):
        if share[u] > 0.0:
            _fill_slopes(has_products, weight, highest, gain_a[u], kind_a[u], 0, slope[0])
            _fill_slopes(has_products, weight, highest, gain_b[u], kind_b[u], 1, slope[1])
            _add_list(has_products, weight, kind_a[u], place[u], 0, slope, share[u], alone, paired)
            _add_list(has_products, weight, kind_b[u], place[u], 1, slope, share[u], alone, paired)
