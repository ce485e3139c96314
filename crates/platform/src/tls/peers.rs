use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use http::Uri;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use rustls::{
    ClientConfig,
    pki_types::{PrivateKeyDer, ServerName, pem::PemObject},
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel, Endpoint};
use tower::service_fn;

use super::{chain, provider, read, roots};

/// How this service reaches the others at `https` addresses.
#[derive(clap::Args, Clone, Debug, Default)]
#[group(skip)]
pub struct PeerTlsArgs {
    /// File with the authorities, in PEM, that certify the other services: needed for https addresses.
    #[arg(long, env = "NIGIRI_PEER_CA")]
    pub peer_ca: Option<PathBuf>,

    /// File with this service's own certificate for the others, in PEM; they ask for it when they have --tls-client-ca.
    #[arg(long, env = "NIGIRI_PEER_CERT", requires = "peer_key")]
    pub peer_cert: Option<PathBuf>,

    /// File with that certificate's private key, in PEM.
    #[arg(long, env = "NIGIRI_PEER_KEY", requires = "peer_cert")]
    pub peer_key: Option<PathBuf>,
}

/// The client's side of TLS between services. Each new connection reads the files, so renewed ones need nothing.
#[derive(Clone, Debug)]
pub struct PeerTls(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    authorities: PathBuf,
    own: Option<(PathBuf, PathBuf)>,
    /// The last that could be used: it goes on while the files cannot.
    good: Mutex<Arc<ClientConfig>>,
}

impl PeerTls {
    /// The client's side with these files; none without authorities.
    ///
    /// # Errors
    /// When a file cannot be read or used; the error names the file and the option.
    pub fn load(args: &PeerTlsArgs) -> anyhow::Result<Option<Self>> {
        let Some(authorities) = args.peer_ca.clone() else { return Ok(None) };
        let own = args.peer_cert.clone().zip(args.peer_key.clone());
        let good = Mutex::new(Arc::new(config(&authorities, own.as_ref())?));
        Ok(Some(Self(Arc::new(Shared { authorities, own, good }))))
    }

    /// A channel to this address by TLS, connected at the first call.
    ///
    /// # Errors
    /// When the address cannot be one.
    pub fn channel(
        &self,
        address: &Uri,
        tuned: impl FnOnce(Endpoint) -> Endpoint,
    ) -> anyhow::Result<Channel> {
        let host = address.host().context("the address has no host")?.trim_matches(['[', ']']).to_owned();
        let port = address.port_u16().unwrap_or(443);
        let name = ServerName::try_from(host.clone())?;
        let tls = self.clone();
        let connector = service_fn(move |_: Uri| {
            let (tls, host, name) = (tls.clone(), host.clone(), name.clone());
            async move {
                let config = tokio::task::spawn_blocking(move || tls.current()).await?;
                let tcp = TcpStream::connect((host.as_str(), port)).await?;
                tcp.set_nodelay(true)?;
                let secured = TlsConnector::from(config).connect(name, tcp).await?;
                Ok::<_, std::io::Error>(TokioIo::new(secured))
            }
        });
        // The connector does what `https` would ask of tonic, which knows only files that never change.
        let mut parts = address.clone().into_parts();
        parts.scheme = Some(http::uri::Scheme::HTTP);
        let plain = tuned(Endpoint::from(Uri::from_parts(parts)?));
        Ok(plain.connect_with_connector_lazy(connector))
    }

    fn current(&self) -> Arc<ClientConfig> {
        let mut good = self.0.good.lock();
        match config(&self.0.authorities, self.0.own.as_ref()) {
            Ok(config) => *good = Arc::new(config),
            Err(error) => tracing::warn!(
                error = format!("{error:#}"),
                "the certificates for other services cannot be used: going on with the last ones"
            ),
        }
        Arc::clone(&good)
    }
}

fn config(authorities: &Path, own: Option<&(PathBuf, PathBuf)>) -> anyhow::Result<ClientConfig> {
    let roots = roots(&read(authorities, "--peer-ca")?).context("--peer-ca")?;
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots);
    let mut config = match own {
        None => builder.with_no_client_auth(),
        Some((cert, key)) => {
            let chain = chain(&read(cert, "--peer-cert")?).context("--peer-cert")?;
            let key = PrivateKeyDer::from_pem_slice(&read(key, "--peer-key")?)
                .context("--peer-key has no private key in PEM")?;
            builder
                .with_client_auth_cert(chain, key)
                .context("--peer-cert and --peer-key do not belong together")?
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}
