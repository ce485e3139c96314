use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};

/// Who certifies servers and services, for one test.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate with its key, in files.
pub struct Certified {
    /// The certificate.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl Authority {
    /// A new authority, whom nobody trusts yet.
    ///
    /// # Errors
    /// When no key can be made.
    pub fn new() -> anyhow::Result<Self> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Ok(Self { issuer: CertifiedIssuer::self_signed(params, KeyPair::generate()?)? })
    }

    /// The authority's own certificate, in PEM.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Writes the authority's own certificate into this file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        Ok(std::fs::write(file, self.pem())?)
    }

    /// Certifies this machine, as a server and as a client, and writes `<name>.crt` and `<name>.key` into a folder; what is there is
    /// replaced.
    ///
    /// # Errors
    /// When no key can be made, or the files cannot be written.
    pub fn certify(&self, folder: &Path, name: &str) -> anyhow::Result<Certified> {
        let mut params = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()])?;
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        let files =
            Certified { cert: folder.join(format!("{name}.crt")), key: folder.join(format!("{name}.key")) };
        std::fs::write(&files.key, key.serialize_pem())?;
        std::fs::write(&files.cert, certificate.pem())?;
        Ok(files)
    }
}
