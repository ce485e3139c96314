//! One suite for all ledgers: what the trait promises, each of them must keep.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod embedded;
mod groups;
mod guards;
mod logs;
mod memory;
mod model;
mod redis_cluster;
mod redis_single;
mod wakes;
mod world;

/// Makes one test of each function of the suite. `$world` makes a fresh world.
macro_rules! suite {
    ($world:path) => {
        crate::suite!($world;
            logs::of_many_writers_exactly_one_wins_each_number,
            logs::a_retry_is_refused_by_its_own_entry,
            logs::stamps_never_run_backwards_and_follow_the_clock_of_the_store,
            logs::a_log_is_read_in_pieces_without_a_gap,
            logs::payloads_up_to_a_mebibyte_come_back_and_larger_ones_are_refused,
            logs::a_trimmed_log_keeps_its_end_and_goes_on,
            logs::a_retired_log_expires_and_can_begin_anew,
            logs::malformed_names_are_refused,
            guards::a_late_move_is_refused_and_one_in_time_is_not,
            guards::a_claim_is_refused_while_it_is_early,
            guards::nobody_loses_by_an_outage_until_it_is_settled,
            guards::deadlines_are_set_kept_moved_and_cleared,
            guards::due_logs_come_most_overdue_first_and_a_swept_partition_is_skipped,
            groups::notices_are_written_with_the_entry_or_not_at_all,
            groups::each_group_gets_every_message_and_each_message_one_consumer,
            groups::messages_of_one_log_stay_in_order,
            groups::what_a_dead_consumer_had_is_claimed_with_a_higher_count,
            groups::a_renewed_lease_is_not_claimed_and_a_released_message_is,
            groups::a_message_is_buried_once_and_revived,
            groups::groups_are_listed,
            groups::only_what_all_groups_have_acknowledged_is_dropped,
            groups::a_waiting_fetch_is_woken_by_another_handle,
            groups::a_fetch_that_finds_nothing_comes_back_in_time,
            wakes::entries_wake_every_handle_that_follows_their_log,
        );
    };
    ($world:path; $($module:ident :: $name:ident),* $(,)?) => {
        $(
            #[tokio::test]
            async fn $name() {
                crate::$module::$name($world().await).await;
            }
        )*
    };
}
pub(crate) use suite;
