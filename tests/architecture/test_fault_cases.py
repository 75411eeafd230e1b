"""One table of known faults of systems like this one, and the test that keeps each away.

Each id stands for a kind of fault: L labels, D types and names of columns, M missing values,
P tables at prediction, I imbalance and tiny data, W wide or odd data, T time, X memory and
crashes, J parallelism, S persistence, K the interface of scikit-learn, R metrics, G weights, groups
and folds, N repeatability, E ensembles, Q logging and notebooks, O benchmarks, V platforms.

Not yet in the table: R06 (thresholds).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
NOT_HERE = "not here: "

NUMBERS: Mapping[str, tuple[int, ...]] = {
    "L": (1, 3, 5, 6, 8, 10, 11, 13, 15, 16),
    "D": (1, 3, 5, 6, 8, 10, 11, 13, 15, 16, 18, 20, 21),
    "M": (1, 3, 5, 6),
    "P": (1, 3, 5, 6, 8),
    "I": (1, 3, 5, 6, 8, 10),
    "W": (1, 3, 5),
    "T": (1, 3, 5, 6, 8, 10, 11),
    "X": (1, 3, 5, 6, 8),
    "J": (1, 3, 5, 6, 8, 10),
    "S": (1, 3, 5, 6, 8, 10),
    "K": (1, 3, 5, 6, 8, 10),
    "R": (1, 3, 5, 6),
    "G": (1, 3, 5, 6, 8),
    "N": (1, 3, 5),
    "E": (1, 3, 5, 6),
    "Q": (1, 3),
    "O": (1, 3, 5),
    "V": (1, 3),
}
IDS = [f"{letter}{number:02}" for letter, numbers in NUMBERS.items() for number in numbers]

_LABELS = "integration/test_fault_labels.py::test_"
_COLUMNS = "integration/test_fault_columns.py::test_"
_LATER = "integration/test_fault_later_tables.py::test_"
_LIMITS = "integration/test_fault_limits.py::test_"
_PROCESSES = "integration/test_fault_processes.py::test_"
_INTERFACE = "integration/test_fault_interface.py::test_"
_WEIGHTS = "integration/test_fault_weights.py::test_"
_ESTIMATOR = "integration/test_estimator.py::test_"
_ROUND_TRIP = f"{_LABELS}labels_come_back_as_they_were_and_columns_follow_the_sorted_classes"
_ANY_NAME = f"{_COLUMNS}columns_may_have_any_name"
_GLOBAL = f"{_INTERFACE}a_fit_prints_nothing_and_leaves_everything_global_as_it_was"
_SCORER_OBJECT = f"{_INTERFACE}a_scorer_object_is_the_scorer_of_that_name"

CASES: Mapping[str, str] = {
    "L01": _ROUND_TRIP,
    "L03": f"{_LABELS}two_labels_of_opposite_sign_stay_what_they_are",
    "L05": _ROUND_TRIP,
    "L06": f"{_LABELS}a_category_that_never_occurs_is_no_class_and_not_worth_a_word",
    "L08": f"{_LABELS}missing_labels_are_refused_with_their_number_whatever_stands_for_them",
    "L10": f"{_LABELS}a_target_of_one_column_is_raveled_with_the_usual_warning",
    "L11": f"{_LABELS}a_continuous_target_is_refused_with_what_to_do",
    "L13": f"{_LABELS}a_single_class_is_refused_by_its_name",
    "L15": f"{_LABELS}a_second_fit_knows_nothing_of_the_first",
    "L16": _ROUND_TRIP,
    "D01": f"{_COLUMNS}truth_values_are_features_in_any_storage",
    "D03": f"{_COLUMNS}nullable_columns_may_have_gaps",
    "D05": f"{_COLUMNS}text_of_the_default_type_is_a_category_without_deprecated_calls",
    "D06": f"{_COLUMNS}sparse_tables_of_any_form_are_taken",
    "D08": f"{_COLUMNS}numbers_stored_as_text_are_numbers_again_and_it_is_told",
    "D10": f"{_COLUMNS}dates_zones_and_durations_are_read_and_a_single_row_has_all_their_parts",
    "D11": f"{_COLUMNS}free_text_is_told_from_levels_and_both_are_reported_or_kept",
    "D13": _ANY_NAME,
    "D15": f"{_COLUMNS}columns_of_one_name_are_refused_with_that_name",
    "D16": _ANY_NAME,
    "D18": f"{_COLUMNS}nothing_is_written_into_what_the_user_gave",
    "D20": f"{_COLUMNS}any_layout_of_numbers_gives_what_its_plain_copy_gives",
    "D21": f"{_COLUMNS}infinite_and_huge_values_are_refused_by_column_at_fit_and_later",
    "M01": f"{_COLUMNS}missing_numbers_are_taken_in_frames_and_arrays",
    "M03": f"{_COLUMNS}values_may_be_missing_at_prediction_only",
    "M05": f"{_COLUMNS}a_category_column_may_be_empty_at_the_fit_and_filled_later",
    "M06": f"{_COLUMNS}text_that_looks_like_a_missing_marker_is_a_level",
    "P01": f"{_LATER}levels_are_matched_by_value_whatever_the_order_of_the_categories",
    "P03": f"{_LATER}reordered_and_extra_columns_are_refused_by_name",
    "P05": f"{_LATER}whole_numbers_are_found_again_in_any_type",
    "P06": f"{_LATER}one_row_gives_what_the_batch_gives",
    "P08": f"{_LATER}rows_belong_together_by_position_and_never_by_index",
    "I01": f"{_LABELS}the_only_row_of_a_class_trains_everywhere_and_is_told_once",
    "I03": f"{_LABELS}no_row_is_invented_for_a_rare_class",
    "I05": f"{_LABELS}a_learners_own_validation_part_does_without_a_rare_class",
    "I06": f"{_LABELS}a_metric_has_a_value_where_folds_hold_hardly_any_positive_row",
    "I08": f"{_LABELS}a_table_without_enough_is_refused_in_the_usual_words",
    "I10": f"{_LABELS}many_classes_are_learnt_and_learners_that_cannot_are_named",
    "W01": f"{_COLUMNS}a_table_of_thousands_of_columns_is_learnt_in_little_space",
    "W03": f"{_COLUMNS}learners_for_which_a_table_is_too_much_are_never_tried",
    "W05": f"{_COLUMNS}a_leaked_target_and_a_row_number_are_named_and_the_fit_goes_on",
    "T01": f"{_ESTIMATOR}a_time_limit_holds_with_learners_that_never_end",
    "T03": f"{_LIMITS}a_limit_too_short_for_any_model_leaves_the_class_frequencies_and_says_so",
    "T05": f"{_LIMITS}two_threads_fit_at_the_same_time_and_get_what_each_gets_alone",
    "T06": f"{_LIMITS}a_search_that_ends_with_time_left_says_why",
    "T08": f"{_LIMITS}the_limit_that_is_reached_first_ends_the_search",
    "T10": f"{_LIMITS}limits_in_force_and_time_used_are_logged_once",
    "T11": f"{_LIMITS}a_longer_search_is_not_worse_on_rows_it_never_saw",
    "X01": f"{_LIMITS}a_memory_limit_counts_what_a_trial_adds_and_not_what_was_imported",
    "X03": f"{_LIMITS}a_learner_that_raises_is_a_failure_with_its_traceback_and_not_the_end",
    "X05": f"{_LIMITS}a_metric_that_is_no_number_for_some_trials_fails_those_only",
    "X06": f"{_LIMITS}probabilities_that_are_none_fail_the_trial_and_those_of_fit_sum_to_one",
    "X08": f"{_LIMITS}files_of_the_user_stay_and_those_that_learners_leave_go",
    "J01": f"{_PROCESSES}workers_are_counted_as_joblib_counts_them",
    "J03": f"{_PROCESSES}fits_run_inside_the_workers_of_another_pool",
    "J05": "unit/test_fit_limits.py"
    "::test_workers_share_the_free_memory_unless_an_amount_is_asked_for",
    "J06": "unit/test_table_store.py::test_a_loaded_table_is_mapped_and_cannot_be_written_to",
    "J08": f"{_PROCESSES}a_metric_defined_on_the_spot_reaches_the_workers_and_pickles_but_no_file",
    "J10": f"{_PROCESSES}no_process_of_a_fit_listens_to_the_network",
    "S01": "unit/test_save_load.py::test_a_fresh_process_in_another_folder_predicts_the_same",
    "S03": "unit/test_save_load.py::test_the_file_names_neither_folder_nor_user",
    "S05": f"{NOT_HERE}no learner uses a GPU",
    "S06": f"{_PROCESSES}a_pickle_holds_the_members_and_not_the_table",
    "S08": f"{_PROCESSES}copies_do_not_depend_on_each_other",
    "S10": f"{_PROCESSES}a_cross_validated_search_predicts_without_a_further_call",
    "K01": f"{_INTERFACE}parameters_survive_cloning_and_a_clone_of_a_fitted_estimator_fits",
    "K03": f"{_INTERFACE}it_works_in_cross_validation_in_a_pipeline_and_in_a_grid_search",
    "K05": f"{_INTERFACE}it_votes_and_stacks_as_a_classifier",
    "K06": f"{_INTERFACE}predicting_needs_a_fit_that_did_not_fail",
    "K08": f"{_INTERFACE}the_checks_of_scikit_learn_are_many_and_none_is_skipped_as_a_whole",
    "K10": f"{_INTERFACE}an_unknown_argument_or_name_is_refused_with_what_was_meant",
    "R01": _SCORER_OBJECT,
    "R03": _SCORER_OBJECT,
    "R05": f"{_INTERFACE}ranks_of_three_classes_have_scorers_of_their_own",
    "R06": f"{_INTERFACE}the_threshold_suits_a_metric_of_labels_and_is_kept",
    "G01": f"{_WEIGHTS}weights_belong_to_rows_by_position_and_reach_the_losses",
    "G03": f"{_WEIGHTS}learners_and_metrics_that_take_no_weights_are_named",
    "G05": f"{_WEIGHTS}classes_may_have_weights_of_their_own",
    "G06": f"{_WEIGHTS}groups_keep_what_identifies_a_group_out_of_the_score",
    "G08": f"{_WEIGHTS}folds_may_be_given_in_any_form",
    "N01": f"{_ESTIMATOR}same_seed_same_trials_weights_and_predictions",
    "N03": f"{_PROCESSES}the_order_of_sets_and_dictionaries_plays_no_part",
    "N05": _GLOBAL,
    "E01": f"{_INTERFACE}an_ensemble_that_cannot_be_built_leaves_the_best_model",
    "E03": _ROUND_TRIP,
    "E05": f"{_LIMITS}a_model_without_signal_is_told_once_and_with_its_reason",
    "E06": f"{_ESTIMATOR}an_ensemble_of_size_one_is_the_trial_with_the_lowest_loss",
    "Q01": _GLOBAL,
    "Q03": "integration/test_notebook.py::test_a_cell_fits_with_its_own_metric_and_two_workers",
    "O01": f"{NOT_HERE}nothing is downloaded; the bundled tables are read from files",
    "O03": f"{NOT_HERE}no client of OpenML is used; K01 and K08 keep what one relies on",
    "O05": f"{_LATER}the_encoding_of_new_levels_is_not_the_callers_job",
    "V01": f"{_PROCESSES}where_nothing_can_fork_models_predict_and_fit_says_why_it_cannot",
    "V03": f"{NOT_HERE}no learner uses a GPU",
}


def names_of_tests(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_case_is_in_the_table_once() -> None:
    assert len(IDS) == len(set(IDS)) == 94
    assert set(CASES) == set(IDS)


@pytest.mark.parametrize("case", CASES)
def test_the_test_of_a_case_exists_or_the_case_cannot_arise(case: str) -> None:
    entry = CASES[case]
    if entry.startswith(NOT_HERE):
        assert len(entry) > len(NOT_HERE) + 10, "a reason is needed"
        return
    path, _, name = entry.partition("::")
    assert name.startswith("test_")
    assert name in names_of_tests(TESTS / path)
