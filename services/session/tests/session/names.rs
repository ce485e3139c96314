use std::collections::HashSet;

use crate::world::{Home, World, refusal};

/// Each bad name is refused with the reason of its kind, naming the field; none is too large to be refused cleanly, and the service
/// goes on.
#[tokio::test]
async fn bad_nicknames_are_refused_by_their_reason() {
    let world = World::new().await;
    for (nickname, expected) in [
        ("", "NICKNAME_EMPTY"),
        (" \u{2003} ", "NICKNAME_EMPTY"),
        (&"x".repeat(25), "NICKNAME_TOO_LONG"),
        (&"x".repeat(5000), "NICKNAME_TOO_LONG"),
        (&"\u{fdfa}".repeat(5000), "NICKNAME_TOO_LONG"),
        ("a\u{7}b", "NICKNAME_CHARACTERS"),
        ("a\u{200b}b", "NICKNAME_CHARACTERS"),
        ("a\u{202e}b", "NICKNAME_CHARACTERS"),
        ("Go😀", "NICKNAME_CHARACTERS"),
        ("a  b", "NICKNAME_CHARACTERS"),
        ("аdmin", "NICKNAME_CONFUSABLE"),
        ("Hоninbo", "NICKNAME_CONFUSABLE"),
        ("AdmIn", "NICKNAME_RESERVED"),
        ("Guest", "NICKNAME_RESERVED"),
    ] {
        let fields = vec!["nickname".to_owned()];
        assert_eq!(refusal(world.guest(nickname).await), (expected.to_owned(), fields), "{}", nickname.len());
    }
    for size in [17 * 1024, 10 * 1024 * 1024] {
        let (reason, fields) = refusal(world.guest(&"x".repeat(size)).await);
        assert_eq!((reason.as_str(), fields.len()), ("MESSAGE_TOO_LARGE", 0));
    }
    assert!(world.guest("Honinbo").await.is_ok());
}

/// Fifty guests want one name at the same time, and as many a lookalike of it: all get a name, all names differ, one has the name itself,
/// and each is recognisably what was wished for.
#[tokio::test(flavor = "multi_thread")]
async fn one_name_at_the_same_time_becomes_many() {
    for home in Home::both().await {
        let world = World::on(home.open().await).await;
        let mut guests = tokio::task::JoinSet::new();
        for number in 0..100 {
            let nickname = if number < 50 { "Honinbo" } else { "H0NINB0" };
            let mut session = world.session.clone();
            guests.spawn(async move {
                let request = nigiri_proto::session::v1::SignInAsGuestRequest {
                    nickname: nickname.to_owned(),
                    ..Default::default()
                };
                session.sign_in_as_guest(request).await.unwrap().into_inner().player.unwrap().name
            });
        }
        let names = guests.join_all().await;
        let plain = names.iter().filter(|name| ["Honinbo", "H0NINB0"].contains(&name.as_str())).count();
        assert_eq!(plain, 1, "{names:?}");
        let different: HashSet<_> = names.iter().map(|name| name.to_lowercase().replace('0', "o")).collect();
        assert_eq!(different.len(), 100, "{names:?}");
        for name in &names {
            let shape = name.starts_with("Honinbo") || name.starts_with("H0NINB0");
            assert!(shape && name.chars().count() <= 24, "{name}");
        }
        world.stop().await;
    }
}
