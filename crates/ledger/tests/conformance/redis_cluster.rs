//! The suite on a Redis Cluster of three nodes that it starts itself, and what only a Cluster does.

use std::{process::Command, sync::Arc};

use futures::FutureExt;
use ledger::{
    redis::{RedisConfig, RedisLedger},
    testing::RedisCluster,
};

use crate::{
    groups, guards, logs, model, wakes,
    world::{Time, World, append, log, soon},
};

async fn world(cluster: &RedisCluster, prefix: &str, partitions: u16) -> World {
    let config = RedisConfig {
        prefix: prefix.to_owned(),
        partitions,
        // The others are found.
        ..RedisConfig::cluster(cluster.urls().into_iter().take(1))
    };
    World {
        ledger: Arc::new(RedisLedger::connect(config.clone()).await.unwrap()),
        other: Arc::new(RedisLedger::connect(config).await.unwrap()),
        time: Time::Real,
        _keep: Box::new(()),
    }
}

/// One Cluster for all, since it takes seconds to start; each part of the suite has an installation of its own on it.
#[tokio::test]
async fn a_cluster_keeps_all_promises() {
    let cluster = RedisCluster::start();
    macro_rules! parts {
        ($($module:ident :: $name:ident $partitions:expr),* $(,)?) => {
            vec![$((
                stringify!($name),
                async { $module::$name(world(&cluster, stringify!($name), $partitions).await).await }.boxed_local(),
            )),*]
        };
    }
    let parts = parts![
        logs::of_many_writers_exactly_one_wins_each_number 32,
        logs::a_retry_is_refused_by_its_own_entry 32,
        logs::stamps_never_run_backwards_and_follow_the_clock_of_the_store 32,
        logs::a_log_is_read_in_pieces_without_a_gap 32,
        logs::payloads_up_to_a_mebibyte_come_back_and_larger_ones_are_refused 32,
        logs::a_trimmed_log_keeps_its_end_and_goes_on 32,
        logs::a_retired_log_expires_and_can_begin_anew 32,
        logs::malformed_names_are_refused 32,
        guards::a_late_move_is_refused_and_one_in_time_is_not 32,
        guards::a_claim_is_refused_while_it_is_early 32,
        guards::nobody_loses_by_an_outage_until_it_is_settled 32,
        guards::deadlines_are_set_kept_moved_and_cleared 32,
        guards::due_logs_come_most_overdue_first_and_a_swept_partition_is_skipped 32,
        groups::notices_are_written_with_the_entry_or_not_at_all 32,
        groups::each_group_gets_every_message_and_each_message_one_consumer 32,
        groups::messages_of_one_log_stay_in_order 32,
        groups::what_a_dead_consumer_had_is_claimed_with_a_higher_count 32,
        groups::a_renewed_lease_is_not_claimed_and_a_released_message_is 32,
        groups::a_message_is_buried_once_and_revived 32,
        groups::only_what_all_groups_have_acknowledged_is_dropped 32,
        groups::a_waiting_fetch_is_woken_by_another_handle 32,
        groups::a_fetch_that_finds_nothing_comes_back_in_time 32,
        wakes::entries_wake_every_handle_that_follows_their_log 32,
        model::random_operations_equal_the_model 1,
    ];
    for (name, part) in parts {
        println!("{name}");
        part.await;
    }
}

/// When slots move to another node while the ledger runs, commands follow and hints go on.
#[tokio::test]
async fn a_partition_that_moves_to_another_node_is_followed() {
    let cluster = RedisCluster::start();
    let World { ledger, other, .. } = world(&cluster, "moving", 32).await;
    for game in 0..64 {
        append(&ledger, &format!("game-{game}"), 0, "before").await;
    }
    let ids: Vec<String> =
        cluster.nodes.iter().map(|node| cli(&node.url(), &["cluster", "myid"]).trim().to_owned()).collect();
    cli(
        &cluster.nodes[0].url(),
        &[
            "--cluster",
            "reshard",
            &cluster.nodes[0].address(),
            "--cluster-from",
            &ids[0],
            "--cluster-to",
            &ids[1],
            "--cluster-slots",
            "5461",
            "--cluster-yes",
        ],
    );
    let mut wakes = other.wakes(&ledger::Logs::All);
    for game in 0..64 {
        append(&ledger, &format!("game-{game}"), 1, "after").await;
        assert_eq!(other.read(&log(&format!("game-{game}")), 0, 10).await.unwrap().len(), 2);
    }
    // The first commands have taught both handles the new map; from then on every entry is heard again.
    loop {
        match soon(wakes.recv()).await.unwrap() {
            ledger::Wake::Lost => break,
            ledger::Wake::Appended(..) => {}
        }
    }
    let mut heard = 0;
    let mut expected = 2;
    while heard < 64 {
        for game in 0..64 {
            append(&ledger, &format!("game-{game}"), expected, "again").await;
        }
        expected += 1;
        heard = 0;
        let wait = std::time::Duration::from_millis(500);
        while let Ok(Ok(wake)) = tokio::time::timeout(wait, wakes.recv()).await {
            heard += usize::from(matches!(wake, ledger::Wake::Appended(..)));
        }
        assert!(expected < 20, "hints do not come back: {heard} of 64");
    }
}

fn cli(url: &str, arguments: &[&str]) -> String {
    let output = Command::new("redis-cli").args(["-u", url]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
