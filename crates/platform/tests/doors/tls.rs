use std::{net::SocketAddr, path::Path};

use platform::{
    network::{Address, Network, Peer},
    status::reason_of,
    testing::{Authority, Certified},
    tls::{PeerTls, PeerTlsArgs},
};
use tonic::{
    Code,
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint},
};

use crate::world::{World, call, eventually, healthy};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A new connection of somebody who trusts this authority.
fn trusting(authority: &Authority, address: SocketAddr) -> Channel {
    let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority.pem()));
    let endpoint = Endpoint::from_shared(format!("https://localhost:{}", address.port())).unwrap();
    endpoint.tls_config(tls).unwrap().connect_lazy()
}

/// The port speaks TLS to those who trust its authority and to nobody else. A renewed certificate is served without a restart, while open
/// connections go on; a key that does not belong to it changes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_renewed_certificate_is_served_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (Authority::new().unwrap(), Authority::new().unwrap());
    let Certified { cert, key } = old.certify(folder.path(), "server").unwrap();
    let options = ["--tls-cert", text(&cert), "--tls-key", text(&key), "--tls-reload", "100ms"];
    let world = World::with(&options).await;
    let at = world.address;
    let open = trusting(&old, at);
    healthy(open.clone()).await.unwrap();
    assert!(healthy(trusting(&new, at)).await.is_err(), "an authority that has certified nothing here");
    let plain = Endpoint::from_shared(format!("http://{at}")).unwrap().connect_lazy();
    assert!(healthy(plain).await.is_err(), "plain text to a port of TLS");

    // Half of a renewal: the certificate without its key.
    let renewed = new.certify(folder.path(), "renewed").unwrap();
    std::fs::copy(&renewed.cert, &cert).unwrap();
    eventually("the wrong pair was noticed", || async {
        let metrics = platform::telemetry::Metrics::install().render();
        metrics.contains("nigiri_tls_reloads{outcome=\"refused\"}").then_some(())
    })
    .await;
    healthy(trusting(&old, at)).await.unwrap();

    std::fs::copy(&renewed.key, &key).unwrap();
    eventually("the new certificate", || async { healthy(trusting(&new, at)).await.ok() }).await;
    assert!(healthy(trusting(&old, at)).await.is_err());
    healthy(open).await.unwrap();
    world.stop().await;
}

/// Where services show certificates, the service secret alone opens nothing: signing in as a service is refused over any other
/// connection, also over one with a certificate of somebody else's. Players need none.
#[tokio::test(flavor = "multi_thread")]
async fn services_show_certificates_to_each_other() {
    const SIGN_IN: &str = "/nigiri.session.v1.SessionService/SignInService";
    let folder = tempfile::tempdir().unwrap();
    let (ours, others) = (Authority::new().unwrap(), Authority::new().unwrap());
    let ca = folder.path().join("ca.crt");
    std::fs::write(&ca, ours.pem()).unwrap();
    let Certified { cert, key } = ours.certify(folder.path(), "server").unwrap();
    let world =
        World::with(&["--tls-cert", text(&cert), "--tls-key", text(&key), "--tls-client-ca", text(&ca)])
            .await;
    let peer = |own: Option<Certified>| {
        let (peer_cert, peer_key) = own.map(|own| (own.cert, own.key)).unzip();
        let args = PeerTlsArgs { peer_ca: Some(ca.clone()), peer_cert, peer_key };
        let tls = PeerTls::load(&args).unwrap().unwrap();
        let uri = format!("https://127.0.0.1:{}", world.address.port()).parse().unwrap();
        let address = Address::new(uri, Some(&tls)).unwrap();
        Network::Remote([(Peer::Session, address)].into()).bare(Peer::Session).unwrap()
    };

    let service = peer(Some(ours.certify(folder.path(), "service").unwrap()));
    let through = call(service, SIGN_IN).await.unwrap_err();
    assert_eq!(through.code(), Code::Unimplemented, "let in, and only nobody serves it here: {through}");
    let player = peer(None);
    healthy(player.clone()).await.unwrap();
    let refused = call(player, SIGN_IN).await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("CERTIFICATE_REQUIRED"));
    let stranger = peer(Some(others.certify(folder.path(), "stranger").unwrap()));
    assert!(healthy(stranger).await.is_err(), "a certificate that nobody here knows ends the handshake");
    world.stop().await;
}
