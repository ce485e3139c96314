//! TLS by rustls: the server's side, whose files are read again when they have been renewed. Without a certificate everything is plain text.

mod peers;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use parking_lot::RwLock;
use rustls::{
    RootCertStore, ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};
use tokio_rustls::TlsAcceptor;

use crate::config::span;

pub use peers::{PeerTls, PeerTlsArgs};

const RELOADS: &str = "nigiri_tls_reloads";

/// What is spoken on one port, in the server's order of preference.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// How the server speaks TLS.
#[derive(clap::Args, Clone, Debug, Default)]
#[group(skip)]
pub struct TlsArgs {
    /// File with the server's certificate and those between it and its authority, in PEM. Without it the server speaks plain text.
    #[arg(long, env = "NIGIRI_TLS_CERT", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// File with the certificate's private key, in PEM.
    #[arg(long, env = "NIGIRI_TLS_KEY", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// File with the authorities, in PEM, that certify our services. With it a call as a service counts only over a connection with such a
    /// certificate; players need none.
    #[arg(long, env = "NIGIRI_TLS_CLIENT_CA", requires = "tls_cert")]
    pub tls_client_ca: Option<PathBuf>,

    /// How often the files are looked at, to take over renewed ones.
    #[arg(long, env = "NIGIRI_TLS_RELOAD", default_value = "10s", value_parser = span::<100, 86_400>)]
    pub tls_reload: Duration,
}

/// The server's side of TLS as its files have it now.
#[derive(Debug)]
pub struct ServerTls {
    files: Files,
    every: Duration,
    current: RwLock<(Contents, Arc<ServerConfig>)>,
}

/// Where certificate, key and authorities are.
#[derive(Clone, Debug)]
struct Files {
    cert: PathBuf,
    key: PathBuf,
    authorities: Option<PathBuf>,
}

/// What was in them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Contents {
    cert: Vec<u8>,
    key: Vec<u8>,
    authorities: Option<Vec<u8>>,
}

/// Says what is measured.
pub(crate) fn describe() {
    metrics::describe_counter!(
        RELOADS,
        "Renewed certificates, by outcome: taken, or refused (the last good one goes on)."
    );
    for outcome in ["taken", "refused"] {
        metrics::counter!(RELOADS, "outcome" => outcome).increment(0);
    }
}

impl ServerTls {
    /// The server's side with these files; none without a certificate.
    ///
    /// # Errors
    /// When a file cannot be read, or they do not belong together; the error names the file and the option.
    pub fn load(args: &TlsArgs) -> anyhow::Result<Option<Self>> {
        let (Some(cert), Some(key)) = (args.tls_cert.clone(), args.tls_key.clone()) else { return Ok(None) };
        let files = Files { cert, key, authorities: args.tls_client_ca.clone() };
        let contents = files.read()?;
        let config = Arc::new(files.config(&contents)?);
        Ok(Some(Self { files, every: args.tls_reload, current: RwLock::new((contents, config)) }))
    }

    /// Whether services must show certificates.
    pub fn certifies_services(&self) -> bool {
        self.files.authorities.is_some()
    }

    /// What a new connection is served with.
    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.current.read().1))
    }

    /// Looks at the files for as long as it is polled. While what they hold cannot be used, the last good certificate goes on.
    pub async fn follow(self: Arc<Self>) {
        let mut refused = None;
        loop {
            tokio::time::sleep(self.every).await;
            let tls = Arc::clone(&self);
            // Files are read on a thread that may wait.
            let read = tokio::task::spawn_blocking(move || tls.files.read()).await;
            let Ok(Ok(contents)) = read else { continue };
            if contents == self.current.read().0 || refused.as_ref() == Some(&contents) {
                continue;
            }
            match self.files.config(&contents) {
                Ok(config) => {
                    *self.current.write() = (contents, Arc::new(config));
                    metrics::counter!(RELOADS, "outcome" => "taken").increment(1);
                    tracing::info!("the renewed certificate is in use");
                    refused = None;
                }
                Err(error) => {
                    metrics::counter!(RELOADS, "outcome" => "refused").increment(1);
                    tracing::warn!(
                        error = format!("{error:#}"),
                        "the new certificate cannot be used: going on with the last one"
                    );
                    refused = Some(contents);
                }
            }
        }
    }
}

impl Files {
    fn read(&self) -> anyhow::Result<Contents> {
        Ok(Contents {
            cert: read(&self.cert, "--tls-cert")?,
            key: read(&self.key, "--tls-key")?,
            authorities: self.authorities.as_deref().map(|file| read(file, "--tls-client-ca")).transpose()?,
        })
    }

    fn config(&self, contents: &Contents) -> anyhow::Result<ServerConfig> {
        let builder =
            ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()?;
        let builder = match &contents.authorities {
            None => builder.with_no_client_auth(),
            Some(pem) => {
                let roots = roots(pem).context("--tls-client-ca")?;
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider());
                builder.with_client_cert_verifier(verifier.allow_unauthenticated().build()?)
            }
        };
        let chain = chain(&contents.cert).context("--tls-cert")?;
        let key =
            PrivateKeyDer::from_pem_slice(&contents.key).context("--tls-key has no private key in PEM")?;
        let mut config = builder
            .with_single_cert(chain, key)
            .context("--tls-cert and --tls-key do not belong together")?;
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        Ok(config)
    }
}

/// The one provider of cryptography.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn read(file: &Path, option: &str) -> anyhow::Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {} ({option})", file.display()))
}

fn chain(pem: &[u8]) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>()?;
    anyhow::ensure!(!chain.is_empty(), "there is no certificate in PEM");
    Ok(chain)
}

fn roots(pem: &[u8]) -> anyhow::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in chain(pem)? {
        roots.add(certificate)?;
    }
    Ok(roots)
}
