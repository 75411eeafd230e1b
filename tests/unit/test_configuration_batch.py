"""Many configurations as one array."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import Configuration
from fakes.histories import mixed_space

from automl.optimizers.vectors import sample_configurations
from search_space.arrays import FloatArray
from search_space.configuration_batch import ConfigurationBatch
from search_space.encoding import ConfigurationEncoder

SPACE = mixed_space().configuration_space
GIVEN = [
    Configuration(SPACE, {"classifier": "cheap", "classifier:cheap:share": share})
    for share in (0.1, 0.2, 0.3)
]


def drawn(n: int, seed: int = 0) -> ConfigurationBatch:
    return sample_configurations(SPACE, n, np.random.default_rng(seed))


def given_batch() -> ConfigurationBatch:
    return ConfigurationBatch.of(GIVEN, SPACE)


def are_the_very(batch: ConfigurationBatch, expected: list[Configuration]) -> bool:
    return all(one is other for one, other in zip(batch, expected, strict=True))


def test_rows_are_configurations_with_their_vectors() -> None:
    batch = drawn(20)
    assert len(batch) == len(list(batch)) == 20
    for i, configuration in enumerate(batch):
        configuration.check_valid_configuration()
        assert configuration == batch[i - 20] == batch[np.int64(i)]
        assert configuration.get_array().tobytes() == batch.vectors[i].tobytes()
    assert batch[3] in batch
    with pytest.raises(IndexError):
        batch[20]


def test_nothing_that_is_done_to_a_row_changes_the_batch() -> None:
    batch = drawn(3)
    before = batch.vectors.copy()
    for configuration in batch:
        configuration["classifier"] = "cheap" if configuration["classifier"] != "cheap" else "slow"
        configuration.get_array()[:] = 0.5
    assert np.array_equal(batch.vectors, before, equal_nan=True)
    with pytest.raises(ValueError, match="read-only"):
        batch.vectors[0, 0] = 1.0
    vectors = before.copy()
    ConfigurationBatch(SPACE, vectors)
    vectors[0, 0] = 1.0  # whoever made an array may write to it still


def test_vectors_are_in_c_order_whatever_they_were_given_in() -> None:
    batch = ConfigurationBatch(SPACE, np.asfortranarray(drawn(5).vectors))
    assert batch.vectors.flags.c_contiguous
    assert batch == drawn(5)


def test_configurations_that_a_batch_was_made_from_are_given_back() -> None:
    batch = given_batch()
    assert are_the_very(batch, GIVEN)
    assert ConfigurationBatch.of(batch, SPACE) is batch
    assert are_the_very(batch[1:], GIVEN[1:])
    assert are_the_very(batch.take(np.array([2, 0, 2])), [GIVEN[2], GIVEN[0], GIVEN[2]])
    assert are_the_very(batch.take(np.array([False, True, False])), [GIVEN[1]])


def test_batches_are_joined_in_order_and_keep_what_was_given() -> None:
    joined = ConfigurationBatch.joined([drawn(2), given_batch(), drawn(4, seed=1)])
    assert are_the_very(joined[2:5], GIVEN)
    assert joined[:2] == drawn(2)
    assert joined[5:] == drawn(4, seed=1)
    assert ConfigurationBatch.joined([drawn(2), drawn(3, seed=1)])[2:] == drawn(3, seed=1)


def test_rows_are_replaced_and_the_others_stay() -> None:
    by = drawn(2)
    replaced = given_batch().replaced(np.array([2, 0]), by)
    assert replaced[1] is GIVEN[1]
    assert np.array_equal(replaced.vectors[[2, 0]], by.vectors, equal_nan=True)
    assert are_the_very(given_batch(), GIVEN)
    back = by.replaced(np.array([1]), given_batch()[:1])
    assert back[1] is GIVEN[0]
    assert back[:1] == by[:1]


def test_the_first_of_equal_rows_is_kept_and_equal_means_bit_for_bit() -> None:
    vectors = np.repeat(drawn(1).vectors, 6, axis=0)
    numbers = np.array([0.0, -0.0, 0.0, np.nan, -np.nan, np.nan])
    vectors[:, 0] = numbers
    different = ConfigurationBatch(SPACE, vectors).different()
    assert different.vectors[:, 0].tobytes() == numbers[[0, 1, 3, 4]].tobytes()
    copy = Configuration(SPACE, dict(GIVEN[0]))
    batch = ConfigurationBatch.of([GIVEN[1], GIVEN[0], copy, GIVEN[1]], SPACE)
    assert are_the_very(batch.different(), [GIVEN[1], GIVEN[0]])


def test_batches_are_equal_if_their_vectors_are() -> None:
    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(3, seed=1)
    assert drawn(3) != drawn(2)
    assert drawn(3) != list(drawn(3))
    assert given_batch() == ConfigurationBatch(SPACE, given_batch().vectors)
    with pytest.raises(TypeError, match="unhashable"):
        hash(drawn(3))


def test_a_batch_may_be_empty() -> None:
    for empty in (ConfigurationBatch.of([], SPACE), drawn(2)[:0], given_batch()[:0]):
        assert not empty
        assert empty.vectors.shape == (0, len(SPACE))
        assert not empty.different()
        assert ConfigurationBatch.joined([empty, given_batch()])[0] is GIVEN[0]


@pytest.mark.parametrize("vectors", [np.zeros((2, 3)), np.zeros(len(SPACE))])
def test_vectors_of_another_space_are_refused(vectors: FloatArray) -> None:
    with pytest.raises(ValueError, match="need vectors"):
        ConfigurationBatch(SPACE, vectors)


def test_a_batch_is_encoded_like_its_configurations() -> None:
    encoder = ConfigurationEncoder(SPACE)
    batch = drawn(30)
    before = batch.vectors.tobytes()
    assert np.array_equal(encoder.encode(batch), encoder.encode(list(batch)))
    assert batch.vectors.tobytes() == before
    assert encoder.encode(batch[:0]).shape == (0, len(encoder.columns))
