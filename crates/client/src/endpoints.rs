/// Where the services are: addresses such as `http://127.0.0.1:7878`, several for replicas without a load balancer.
///
/// `https` addresses are checked against the web's usual certificate authorities, or against [`crate::Options::authorities`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// Addresses of the session service.
    pub session: Vec<String>,
    /// Addresses of the game service.
    pub game: Vec<String>,
    /// Addresses of the matchmaking service.
    pub matchmaking: Vec<String>,
    /// Addresses of the rating service.
    pub rating: Vec<String>,
}

impl Endpoints {
    /// All services at the same addresses.
    pub fn everywhere(addresses: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let all: Vec<String> = addresses.into_iter().map(Into::into).collect();
        Self { session: all.clone(), game: all.clone(), matchmaking: all.clone(), rating: all }
    }
}
