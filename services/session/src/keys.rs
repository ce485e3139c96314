//! The keys that sign access tokens, and their public halves.
//!
//! The store has them all. The first one is made by whichever replica comes first. Every replica publishes all of them and looks
//! for new ones every [`RELOAD`]; it signs with the newest that has been in the store for [`SETTLED`], so that by then every replica
//! publishes it. A key that has grown old gets a successor by itself, and is removed when its last token has expired; an operator can
//! do both at once.

use std::{sync::Arc, time::Duration};

use jsonwebtoken::{
    Algorithm, EncodingKey, Header,
    jwk::{Jwk, JwkSet, PublicKeyUse, ThumbprintHash},
};
use kernel::Timestamp;
use parking_lot::RwLock;
use platform::auth::Claims;

use crate::{error::Error, store::Store};

/// How often the store is asked for new keys.
pub const RELOAD: Duration = Duration::from_secs(30);

/// How long a key is published before it signs.
pub const SETTLED: Duration = Duration::from_secs(90);

/// What stands before the 32 bytes of a seed in a PKCS #8 private key of Ed25519 (RFC 8410, section 7): version 0, the algorithm
/// 1.3.101.112, and the seed as an octet string in an octet string.
const PKCS8_HEAD: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// A private key of Ed25519.
pub type Seed = [u8; 32];

/// A key as the store has it.
pub struct StoredKey {
    /// 1 for the first.
    pub generation: i64,
    /// The seed: 32 bytes, if nobody has meddled with it.
    pub seed: Vec<u8>,
    /// When it was made.
    pub created: Timestamp,
}

/// All keys, as this replica knows them.
pub struct Keys(RwLock<Arc<KeySet>>);

struct KeySet {
    /// Oldest first, never empty.
    signing: Vec<SigningKey>,
    jwks: Arc<str>,
}

struct SigningKey {
    generation: i64,
    kid: String,
    private: EncodingKey,
    created: Timestamp,
}

impl Keys {
    /// The store's keys; makes the first one if there is none.
    ///
    /// # Errors
    /// When the store cannot be reached or a key is no key.
    pub(crate) async fn load(store: &Store, now: Timestamp) -> Result<Self, Error> {
        let stored = match store.keys().await? {
            none if none.is_empty() => {
                store.add_first_key(&rand::random::<Seed>(), now).await?;
                store.keys().await?
            }
            some => some,
        };
        Ok(Self(RwLock::new(Arc::new(KeySet::new(&stored)?))))
    }

    /// Reads the store's keys anew.
    ///
    /// # Errors
    /// As [`Keys::load`]; the keys at hand stay.
    pub(crate) async fn reload(&self, store: &Store) -> Result<(), Error> {
        let set = KeySet::new(&store.keys().await?)?;
        *self.0.write() = Arc::new(set);
        Ok(())
    }

    /// Makes a successor for a key that has grown old, and removes keys whose last token has expired.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub(crate) async fn age(
        &self,
        store: &Store,
        lifetime: Duration,
        access_lifetime: Duration,
        now: Timestamp,
    ) -> Result<(), Error> {
        let (newest, signer) = {
            let set = self.0.read();
            let newest = set.signing.last().map(|key| (key.generation, key.created));
            (newest, set.signer(now).map(|key| (key.generation, key.created))?)
        };
        if let Some((generation, _)) = newest.filter(|(_, created)| *created + lifetime <= now) {
            store.add_key(generation + 1, &rand::random::<Seed>(), now).await?;
            tracing::info!(generation = generation + 1, "made the next signing key");
        }
        // Other replicas sign with it too by now, and what the older ones signed has expired.
        if signer.1 + SETTLED + RELOAD + access_lifetime <= now {
            store.remove_keys_before(signer.0).await?;
        }
        self.reload(store).await
    }

    /// Makes the next key; with `withdraw` the older ones are removed, and it signs at once.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub(crate) async fn rotate(&self, store: &Store, withdraw: bool, now: Timestamp) -> Result<(), Error> {
        let newest = store.keys().await?.last().map_or(0, |key| key.generation);
        store.add_key(newest + 1, &rand::random::<Seed>(), now).await?;
        if withdraw {
            store.remove_keys_before(newest + 1).await?;
        }
        self.reload(store).await
    }

    /// The public halves: a JSON Web Key Set (RFC 7517, RFC 8037).
    pub fn jwks(&self) -> Arc<str> {
        Arc::clone(&self.0.read().jwks)
    }

    /// A signed token that says this.
    ///
    /// # Errors
    /// Only by a bug.
    pub fn sign(&self, claims: &Claims, now: Timestamp) -> Result<String, Error> {
        let set = Arc::clone(&self.0.read());
        let key = set.signer(now)?;
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(key.kid.clone());
        Ok(jsonwebtoken::encode(&header, claims, &key.private)?)
    }
}

impl KeySet {
    fn new(stored: &[StoredKey]) -> Result<Self, Error> {
        let mut signing = Vec::new();
        let mut keys = Vec::new();
        for key in stored {
            let seed = Seed::try_from(key.seed.as_slice()).map_err(|_| Error::NoKey)?;
            let private = private_key(&seed);
            let public = public_key(&private)?;
            let kid = public.common.key_id.clone().ok_or(Error::NoKey)?;
            signing.push(SigningKey { generation: key.generation, kid, private, created: key.created });
            keys.push(public);
        }
        if signing.is_empty() {
            return Err(Error::NoKey);
        }
        let jwks = serde_json::to_string(&JwkSet { keys }).map_err(|_| Error::NoKey)?;
        Ok(Self { signing, jwks: jwks.into() })
    }

    /// The newest key that every replica publishes; the first, while there is none.
    fn signer(&self, now: Timestamp) -> Result<&SigningKey, Error> {
        let settled = self.signing.iter().rev().find(|key| key.created + SETTLED <= now);
        settled.or_else(|| self.signing.first()).ok_or(Error::NoKey)
    }
}

/// The private key of this seed.
pub fn private_key(seed: &Seed) -> EncodingKey {
    EncodingKey::from_ed_der(&[PKCS8_HEAD.as_slice(), seed].concat())
}

/// The public half, named by its thumbprint (RFC 7638), so that a key has one name wherever it is.
fn public_key(private: &EncodingKey) -> Result<Jwk, Error> {
    let mut jwk = Jwk::from_encoding_key(private, Algorithm::EdDSA)?;
    jwk.common.key_id = Some(jwk.thumbprint(ThumbprintHash::SHA256)?);
    jwk.common.public_key_use = Some(PublicKeyUse::Signature);
    Ok(jwk)
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::jwk::AlgorithmParameters;
    use platform::transact;

    use super::*;

    /// Test 1 of RFC 8032, section 7.1, and the JWK of it in RFC 8037, appendices A.2 and A.3: same public key, same thumbprint.
    #[test]
    fn the_key_of_the_rfc_has_its_public_half_and_its_thumbprint() {
        let seed = [
            0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
            0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
        ];
        let jwk = public_key(&private_key(&seed)).unwrap();
        let AlgorithmParameters::OctetKeyPair(pair) = &jwk.algorithm else { panic!("{jwk:?}") };
        assert_eq!(pair.x, "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        assert_eq!(jwk.common.key_id.as_deref(), Some("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"));
    }

    /// A new key signs only when every replica has had time to publish it, and is published from the start; a seed of the wrong
    /// length and an empty table are errors.
    #[test]
    fn a_new_key_is_published_before_it_signs() {
        let made = |seed: u8, at: u64| StoredKey {
            generation: seed.into(),
            seed: vec![seed; 32],
            created: Timestamp::from_millis(at),
        };
        let set = KeySet::new(&[made(1, 1_000_000), made(2, 2_000_000)]).unwrap();
        let signer = |at| set.signer(Timestamp::from_millis(at)).unwrap().kid.clone();
        let [first, second] = [&set.signing[0].kid, &set.signing[1].kid];
        assert!(set.jwks.contains(first.as_str()) && set.jwks.contains(second.as_str()));
        assert_eq!(signer(1_000_000), *first);
        assert_eq!(signer(2_089_999), *first);
        assert_eq!(signer(2_090_000), *second);
        let short = StoredKey { generation: 1, seed: vec![1; 31], created: Timestamp::default() };
        assert!(matches!(KeySet::new(&[short]), Err(Error::NoKey)));
        assert!(matches!(KeySet::new(&[]), Err(Error::NoKey)));
    }

    /// The first load makes a key and the second finds it; a key that somebody adds is published after a reload beside the first, and
    /// a row that is no key leaves the keys as they were.
    #[tokio::test]
    async fn a_key_that_was_added_elsewhere_is_found() -> Result<(), sqlx::Error> {
        const ADD: &str = "INSERT INTO signing_keys (generation, seed, created_at) VALUES ($1, $2, $3)";
        let (db, _folder) = platform::testing::sqlite().await.unwrap();
        let store = Store::new(db.clone());
        let keys = Keys::load(&store, Timestamp::default()).await.unwrap();
        let before = keys.jwks();
        assert_eq!(Keys::load(&store, Timestamp::default()).await.unwrap().jwks(), before);
        for (generation, seed) in [(2_i64, vec![2_u8; 32]), (3, vec![3; 5])] {
            transact!(&db, |tx| {
                sqlx::query(ADD).bind(generation).bind(seed).bind(0_i64).execute(&mut **tx).await?;
            });
            let reloaded = keys.reload(&store).await;
            assert_eq!(reloaded.is_ok(), generation == 2, "{reloaded:?}");
            let set: JwkSet = serde_json::from_str(&keys.jwks()).unwrap();
            assert_eq!(set.keys.len(), 2);
            assert!(before.contains(set.keys[0].common.key_id.as_deref().unwrap()));
        }
        Ok(())
    }
}
